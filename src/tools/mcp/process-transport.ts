// MCP over the stdio of a server process: JSON lines both ways. The last lines that the server prints on stderr are
// kept for the message of a failure. A server that sends more than a client accepts is killed, and its failure
// says what it was.

import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { SdkError, SdkErrorCode, serializeMessage } from '@modelcontextprotocol/client';
import type { Redactor } from '../../kernel/redacted.ts';
import { LastWords } from '../last-words.ts';
import { ProcessGroup, type ServerCommand } from '../process-group.ts';
import { MessageLines, OverCap } from './message-lines.ts';

const lastWordsMs = 500;

export class ProcessTransport implements Transport {
  onclose?: () => void;
  onerror?: (error: Error) => void;
  onmessage?: (message: JSONRPCMessage) => void;
  private readonly command: ServerCommand;
  private readonly lines = new MessageLines();
  private readonly onBytes: (bytes: number) => void;
  private group: ProcessGroup | undefined;
  private readonly stderr: LastWords;
  private ended = '';
  private excess = '';
  private finished = false;

  /** `onBytes` is called for all output, and may throw OverCap. */
  constructor(command: ServerCommand, redactor: Redactor, onBytes: (bytes: number) => void = () => {}) {
    this.command = command;
    this.stderr = new LastWords(redactor);
    this.onBytes = onBytes;
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
      // Its last output may still be on its way, but a process that left the group can hold the pipes for ever.
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

  /** Says if a caller waits for the server. If none does, it does not keep this process alive. */
  set isAwaited(awaited: boolean) {
    if (this.finished) return;
    if (awaited) this.group?.wake();
    else this.group?.rest();
  }

  private finish(): void {
    if (this.finished) return;
    this.finished = true;
    this.onclose?.();
  }

  /** Did the process exit by itself? */
  get hasEnded(): boolean {
    return this.ended !== '' && this.excess === '';
  }

  /** The end of the process, and the end of its output on stderr. */
  get lastWords(): string {
    if (this.excess !== '') return this.excess;
    const said = this.stderr.text;
    return [this.ended, said === '' ? '' : `its last words:\n${said}`].filter((part) => part !== '').join('; ');
  }

  private receive(chunk: Buffer): void {
    if (this.excess !== '' || this.finished) return;
    try {
      this.onBytes(chunk.length);
      // Messages may follow a line that is not one.
      for (const message of this.lines.take(chunk, (error) => this.onerror?.(error))) this.deliver(message);
    } catch (thrown) {
      if (!(thrown instanceof OverCap)) throw thrown;
      this.excess = `it ${thrown.message}`;
      this.group?.leader.stdout.destroy();
      this.group?.kill();
    }
  }

  private deliver(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (thrown) {
      this.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }
}
