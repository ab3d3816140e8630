// Connections to the server that last: each is made again after it broke, from the last event that arrived, after 1, 2,
// 4 … 15 seconds. What the top bar says about them is one signal for all.

import { signal } from '@preact/signals';
import type { EventSourceMessage } from 'eventsource-parser';
import { backOffMs, eventStream } from '../../../src/client/event-stream.ts';
import { isFinal, Problem } from '../../../src/client/problem.ts';
import { problemOf, reached } from './api.ts';
import { holdClock, serverNow } from './clock.ts';

export type Link =
  | { readonly state: 'connecting' }
  | { readonly state: 'live' }
  /** `since`: when the connection broke; `lastEventAt`: when anything last arrived. */
  | { readonly state: 'reconnecting'; readonly since: number; readonly lastEventAt: number };

export const link = signal<Link>({ state: 'connecting' });

/** Actions are off while this is not undefined, and say it. */
export const offline = (): string | undefined =>
  link.value.state === 'reconnecting' ? 'The server cannot be reached.' : undefined;

const broken = new Set<Stream>();
let lastEventAt = Date.now();

function report(): void {
  if (broken.size === 0) link.value = { state: 'live' };
  else if (link.value.state !== 'reconnecting')
    link.value = { state: 'reconnecting', since: serverNow(), lastEventAt: lastEventAt };
  holdClock(broken.size > 0);
}

/** Those that wait for their next try go now. */
export function tryNow(): void {
  for (const stream of broken) stream.retry();
}

export interface StreamEars {
  /** It was made, for the first time or again. */
  readonly connected?: () => void;
  /** Everything that arrived together. `over`: when the stream ends now, there is nothing more to come. */
  readonly heard: (events: readonly EventSourceMessage[]) => 'over' | undefined;
  /** The server refused it: trying again would not help. */
  readonly refused?: (problem: Problem) => void;
}

export class Stream {
  readonly #path: string;
  readonly #ears: StreamEars;
  readonly #closing = new AbortController();
  #lastId: string | undefined;
  #failures = 0;
  #wake: (() => void) | undefined;

  constructor(path: string, ears: StreamEars, from?: number) {
    this.#path = path;
    this.#ears = ears;
    this.#lastId = from === undefined ? undefined : String(from);
    void this.#run();
  }

  close(): void {
    this.#closing.abort();
    this.#wake?.();
    broken.delete(this);
    if (link.value.state === 'reconnecting') report();
  }

  retry(): void {
    this.#wake?.();
  }

  async #run(): Promise<void> {
    while (!this.#closing.signal.aborted) {
      const ending = await this.#listen();
      if (this.#closing.signal.aborted) return;
      if (ending === 'over') return;
      if (ending instanceof Problem) {
        broken.delete(this);
        if (broken.size === 0 && link.value.state !== 'connecting') report();
        return this.#ears.refused?.(ending);
      }
      broken.add(this);
      report();
      const pause = backOffMs(this.#failures++);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, pause);
      });
      this.#wake = undefined;
    }
  }

  async #listen(): Promise<'over' | 'broke' | Problem> {
    const open = (signal: AbortSignal): Promise<Response> => {
      const last = this.#lastId === undefined ? {} : { 'last-event-id': this.#lastId };
      return reached(this.#path, { signal, headers: { accept: 'text/event-stream', ...last } });
    };
    let isMade = false;
    let over = false;
    try {
      for await (const messages of eventStream(open, this.#closing.signal)) {
        if (!isMade) this.#made();
        isMade = true;
        lastEventAt = serverNow();
        for (const { id } of messages) this.#lastId = id ?? this.#lastId;
        if (messages.length > 0) over = this.#ears.heard(messages) === 'over';
      }
      return 'over';
    } catch (thrown) {
      if (over) return 'over';
      const problem = problemOf(thrown);
      return isFinal(problem) ? problem : 'broke';
    }
  }

  #made(): void {
    this.#failures = 0;
    broken.delete(this);
    report();
    this.#ears.connected?.();
  }
}
