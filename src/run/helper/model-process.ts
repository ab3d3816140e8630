// The process in which the models of one helper are called: started with the first call, in a process group, spoken to on
// stdio, and ended with its whole group. Everything else of the helper is done here: its session, its tools, its questions
// to a person and its budget. So its record is the one that it would leave without a process.
// PROCESS-1. Whatever the child does, each call ends: with the reply of its model, or with what went wrong.
// PROCESS-2. When close() settles, the child has ended and what it started has been killed: stdin ends, which asks the
//            child to go; then the group gets SIGTERM, then SIGKILL, each a moment after the other.
// PROCESS-3. What the child writes is capped, by line and in all.
// PROCESS-4. A child that has said something that is no envelope is not asked again.

import { type Fault, fault } from '../../kernel/fault.ts';
import type { Redactor } from '../../kernel/redacted.ts';
import type { Violation } from '../../kernel/schema.ts';
import type { SubagentErrorCode } from '../../kernel/subagent.ts';
import type { CallOptions, ModelEvent, ModelProvider, ProviderRequest } from '../../models/provider.ts';
import { malformedReport } from '../../patterns/subagent/helper.ts';
import { LastWords } from '../../tools/last-words.ts';
import { ProcessGroup, type ServerCommand } from '../../tools/process-group.ts';
import type { Isolation } from '../../world/isolation.ts';
import { encodeEnvelope, parseChild } from './contract.ts';

const patienceMs = 150;
const lastWordsMs = 500;

export class ModelProcess implements Isolation {
  readonly #order;
  #group: ProcessGroup | undefined;
  /** The fault after which it cannot be asked any more. */
  #broken: Fault | undefined;
  readonly #waiting = new Map<number, (event: ModelEvent) => void>();
  #calls = 0;

  constructor(order: {
    /** Undefined if there is nothing to start. */
    readonly command: ServerCommand | undefined;
    readonly correlation: string;
    readonly job: unknown;
    /** The number of bytes that the child may write in all. */
    readonly capBytes: number;
    /** Redacts what it writes to stderr, of which the end is kept. */
    readonly redactor: Redactor;
  }) {
    this.#order = order;
  }

  provider(id: string, model: string): ModelProvider {
    return { id, stream: (request, options) => this.#stream(model, request, options) };
  }

  /** PROCESS-2. */
  async close(): Promise<void> {
    this.#break(processFault('failed', 'The helper has ended.'));
    await this.#group?.stop();
  }

  async *#stream(model: string, request: ProviderRequest, { signal }: CallOptions): AsyncGenerator<ModelEvent> {
    const id = ++this.#calls;
    const queue = eventQueue();
    this.#waiting.set(id, queue.put);
    const stop = (): void => {
      queue.put({ type: 'reply-fault', fault: fault('cancelled', 'the model call was cancelled.') });
    };
    signal.addEventListener('abort', stop, { once: true });
    try {
      if (signal.aborted) stop();
      else this.#ask(id, model, request);
      for (;;) {
        const event = await queue.next();
        yield event;
        if (event.type === 'reply-end' || event.type === 'reply-fault') return;
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#waiting.delete(id);
      this.#write(encodeEnvelope({ type: 'stop', id }));
    }
  }

  #ask(id: number, model: string, request: ProviderRequest): void {
    this.#start();
    if (this.#broken === undefined) this.#write(encodeEnvelope({ type: 'call', id, model, request }));
    else this.#waiting.get(id)?.({ type: 'reply-fault', fault: this.#broken });
  }

  #write(line: string): void {
    if (this.#broken === undefined) this.#group?.leader.stdin.write(line);
  }

  #start(): void {
    if (this.#group !== undefined || this.#broken !== undefined) return;
    const { command, correlation, job } = this.#order;
    if (command === undefined) return this.#break(unstarted(NOTHING_TO_START));
    try {
      this.#group = new ProcessGroup(command, patienceMs);
    } catch (thrown) {
      return this.#break(unstarted((thrown as Error).message)); // PROCESS-1
    }
    this.#listen(this.#group);
    this.#write(encodeEnvelope({ type: 'start', correlation_id: correlation, job }));
  }

  #listen(group: ProcessGroup): void {
    const { leader } = group;
    const { capBytes, redactor } = this.#order;
    const stderr = new LastWords(redactor);
    leader.once('error', (error) => this.#break(unstarted(error.message)));
    leader.once('exit', (code, by) => {
      const how = by === null ? `It ended with exit code ${code}` : `It was ended by ${by}`;
      const silent = (): void => {
        const words = stderr.text === '' ? '.' : `; its last words:\n${stderr.text}`;
        this.#break(
          processFault('failed', `The sub-agent's process ended before its model had answered. ${how}${words}`),
        );
      };
      group.release();
      // Its last output may still be on its way, but a process that left the group can hold the pipe open for ever.
      leader.once('close', silent);
      setTimeout(silent, lastWordsMs).unref();
    });
    leader.stderr.setEncoding('utf8').on('data', (text: string) => stderr.hear(text));
    leader.stdin.on('error', () => {}); // the end of the child shows that it stopped reading
    const overflow = (): void =>
      this.#break(
        processFault('output_too_large', 'The process of the sub-agent said more than any model does and was ended.'),
      );
    leader.stdout.on('data', lines(capBytes, { line: (line) => this.#hear(line), overflow }));
  }

  #hear(line: string): void {
    if (this.#broken !== undefined || line.trim() === '') return;
    const parsed = parseChild(line);
    if ('violations' in parsed) return this.#break(misspoken(parsed.violations)); // PROCESS-4
    const { id, event } = parsed.envelope;
    if (id < 1 || id > this.#calls)
      return this.#break(misspoken([{ path: '$.id', message: 'is no call that was made' }]));
    this.#waiting.get(id)?.(event); // what comes after the end of a reply is not heard
  }

  /** The first reason counts. */
  #break(why: Fault): void {
    if (this.#broken !== undefined) return;
    this.#broken = why;
    for (const listener of this.#waiting.values()) listener({ type: 'reply-fault', fault: why });
    this.#group?.leader.stdin.end();
  }
}

function eventQueue(): { readonly put: (event: ModelEvent) => void; next(): Promise<ModelEvent> } {
  const events: ModelEvent[] = [];
  let wake = (): void => {};
  return {
    put(event) {
      events.push(event);
      wake();
    },
    async next() {
      for (;;) {
        const event = events.shift();
        if (event !== undefined) return event;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}

const NOTHING_TO_START =
  'the built command line of Cadre is not there to start. Run "npm run build", or use runner: in-process.';

/** `error` is how the tool names it in its output. */
const processFault = (error: SubagentErrorCode, message: string): Fault =>
  fault('subagent/process', message, { error });

const unstarted = (why: string): Fault =>
  processFault('start_failed', `The sub-agent's process could not be started: ${why}`);

const misspoken = (violations: readonly Violation[]): Fault => processFault('validation', malformedReport(violations));

/** Bytes of one envelope: the end of a reply holds all of it. */
const LONGEST_LINE = 8_388_608;

/** PROCESS-3. Splits what arrives into lines, and stops at the cap. */
function lines(capBytes: number, to: { line(text: string): void; overflow(): void }): (chunk: Buffer) => void {
  let pending: Buffer[] = [];
  let held = 0;
  let total = 0;
  return (chunk) => {
    total += chunk.length;
    if (total > capBytes || held > LONGEST_LINE) {
      pending = [];
      return to.overflow();
    }
    let rest = chunk;
    for (let at = rest.indexOf(10); at >= 0; at = rest.indexOf(10)) {
      to.line(Buffer.concat([...pending, rest.subarray(0, at)]).toString('utf8'));
      pending = [];
      held = 0;
      rest = rest.subarray(at + 1);
    }
    held += rest.length;
    if (rest.length > 0) pending.push(rest);
  };
}
