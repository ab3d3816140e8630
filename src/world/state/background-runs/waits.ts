// Waiting until something holds, a moment passes, or a signal aborts. Nothing here polls: code that changes what others
// wait for wakes them.

import type { StopSignal } from '../../../kernel/stop-signal.ts';

interface WaitOptions {
  readonly signal?: StopSignal;
  readonly deadline?: number | undefined;
  now(): number;
}

type WaitEnd = 'done' | 'timeout' | 'cancelled';

/** Timers take 31 bits. */
const LONGEST = 2 ** 31 - 1;

export const openWaits = (): Waits => new Waits();

export class Waits {
  readonly #waits = new Set<Wait>();
  #failure: { readonly thrown: unknown } | undefined;

  async until(holds: () => boolean, options: WaitOptions): Promise<WaitEnd> {
    this.throwIfFailed();
    if (holds()) return 'done';
    if (options.signal?.aborted === true) return 'cancelled';
    return new Promise((resolve, reject) => {
      const wait = new Wait(holds, options, {
        resolve,
        reject,
        over: () => void this.#waits.delete(wait),
      });
      this.#waits.add(wait);
      wait.begin();
    });
  }

  /** Has every wait look again. */
  wake(): void {
    for (const wait of this.#waits) wait.look();
  }

  /** Throws in every wait, now and later. */
  fail(thrown: unknown): void {
    this.#failure ??= { thrown };
    for (const wait of this.#waits) wait.fail(thrown);
  }

  /** Throws what `fail` was given. */
  throwIfFailed(): void {
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}

/** One wait: the first of its condition, its deadline, its signal and a failure ends it. */
class Wait {
  readonly #holds: () => boolean;
  readonly #options: WaitOptions;
  readonly #callbacks;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    holds: () => boolean,
    options: WaitOptions,
    callbacks: {
      readonly resolve: (end: WaitEnd) => void;
      readonly reject: (thrown: Error) => void;
      /** Called before either of them. */
      readonly over: () => void;
    },
  ) {
    this.#holds = holds;
    this.#options = options;
    this.#callbacks = callbacks;
  }

  begin(): void {
    this.#options.signal?.addEventListener('abort', this.#cancelled, { once: true });
    this.#expire();
  }

  look(): void {
    if (this.#holds()) this.#end('done');
  }

  fail(thrown: unknown): void {
    this.#release();
    this.#callbacks.reject(thrown as Error);
  }

  #end(end: WaitEnd): void {
    this.#release();
    this.#callbacks.resolve(end);
  }

  readonly #cancelled = (): void => this.#end('cancelled');

  readonly #expire = (): void => {
    const { deadline, now } = this.#options;
    if (deadline === undefined) return;
    const left = deadline - now();
    if (left <= 0) this.#end('timeout');
    else this.#timer = setTimeout(this.#expire, Math.min(left, LONGEST));
  };

  #release(): void {
    this.#callbacks.over();
    clearTimeout(this.#timer);
    this.#options.signal?.removeEventListener('abort', this.#cancelled);
  }
}
