// MCP over the stdio of a server process: JSON lines both ways. What the server says on stderr is kept, as far as the
// last lines go, for the message of a failure.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { ReadBuffer, SdkError, SdkErrorCode, serializeMessage } from '@modelcontextprotocol/client';
import type { Redactor } from '../../kernel/redacted.ts';
import { LastWords } from '../last-words.ts';
import { ProcessGroup, type ServerCommand } from './process-group.ts';

const maxMessageBytes = 64 * 1024 * 1024;
const lastWordsMs = 500;

export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly command: ServerCommand;
  private readonly buffer = new ReadBuffer({ maxBufferSize: maxMessageBytes });
  private group: ProcessGroup | undefined;
  private readonly stderr: LastWords;
  private ended = '';
  private finished = false;

  constructor(command: ServerCommand, redactor: Redactor) {
    this.command = command;
    this.stderr = new LastWords(redactor);
  }

  start(): Promise<void> {
    const group = new ProcessGroup(this.command);
    const { leader } = group;
    this.group = group;
    leader.stdin.on('error', (error) => this.onerror?.(error));
    leader.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    leader.stderr.setEncoding('utf8').on('data', (text: string) => this.stderr.hear(text));
    leader.once('exit', (code, signal) => {
      this.ended = signal === null ? `it ended with exit code ${code}` : `it was ended by ${signal}`;
      group.release();
      // Its last words may still be on their way, but a process that left the group can hold the pipes for ever.
      setTimeout(() => this.finish(), lastWordsMs).unref();
    });
    leader.once('close', () => this.finish());
    return new Promise((resolve, reject) => {
      leader.once('spawn', resolve);
      leader.once('error', reject);
    });
  }

  send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.group?.leader.stdin;
    return new Promise((resolve, reject) => {
      if (stdin === undefined || !stdin.writable) {
        reject(new SdkError(SdkErrorCode.NotConnected, 'The server process has ended'));
        return;
      }
      stdin.write(serializeMessage(message), (error) => {
        if (error) reject(error);
        else resolve();
      });
    });
  }

  async close(): Promise<void> {
    await this.group?.stop();
    this.finish();
  }

  private finish(): void {
    if (this.finished) return;
    this.finished = true;
    this.onclose?.();
  }

  /** Did the process go by itself? */
  get hasEnded(): boolean {
    return this.ended !== '';
  }

  /** How the process ended, and its last words. */
  get lastWords(): string {
    const said = this.stderr.text;
    return [this.ended, said === '' ? '' : `its last words:\n${said}`].filter((part) => part !== '').join('; ');
  }

  private receive(chunk: Buffer): void {
    try {
      this.buffer.append(chunk);
    } catch (thrown) {
      this.fail(thrown);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (thrown) {
        // One line that is no message; those after it may be.
        this.fail(thrown);
      }
    }
  }

  private fail(thrown: unknown): void {
    this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
  }
}
