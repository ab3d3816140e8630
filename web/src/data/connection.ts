// Connections to the server that last: each is made again after it broke, from the last event that arrived, after 1, 2,
// 4 … 15 seconds. What the top bar says about them is one signal for all.

import { signal } from '@preact/signals';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { Problem, problemOf, reached } from './api.ts';
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

const BACK_OFF = [1, 2, 4, 8, 15] as const;

/** Nothing for so long means that the connection is dead, though nobody said so: heartbeats come every 5 seconds. */
const SILENCE_MS = 20_000;

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
      const pause = BACK_OFF[Math.min(this.#failures++, BACK_OFF.length - 1)] ?? 15;
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        setTimeout(resolve, pause * 1000);
      });
      this.#wake = undefined;
    }
  }

  async #listen(): Promise<'over' | 'broke' | Problem> {
    const attempt = new AbortController();
    const stop = (): void => attempt.abort();
    this.#closing.signal.addEventListener('abort', stop);
    let alarm = setTimeout(stop, SILENCE_MS);
    try {
      const response = await reached(this.#path, {
        signal: attempt.signal,
        headers: {
          accept: 'text/event-stream',
          ...(this.#lastId !== undefined && { 'last-event-id': this.#lastId }),
        },
      });
      this.#failures = 0;
      broken.delete(this);
      report();
      this.#ears.connected?.();
      if (response.status === 204) return 'over';
      let events: EventSourceMessage[] = [];
      const parser = createParser({ onEvent: (event) => events.push(event) });
      let over = false;
      const decoder = new TextDecoder();
      const reader = response.body?.getReader();
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) {
        clearTimeout(alarm);
        alarm = setTimeout(stop, SILENCE_MS);
        lastEventAt = serverNow();
        parser.feed(decoder.decode(part.value, { stream: true }));
        for (const { id } of events) this.#lastId = id ?? this.#lastId;
        if (events.length > 0) over = this.#ears.heard(events) === 'over';
        events = [];
      }
      return over ? 'over' : 'broke';
    } catch (thrown) {
      const problem = problemOf(thrown);
      return problem.status >= 400 && problem.status < 500 && problem.status !== 408 && problem.status !== 429
        ? problem
        : 'broke';
    } finally {
      clearTimeout(alarm);
      this.#closing.signal.removeEventListener('abort', stop);
      attempt.abort();
    }
  }
}
