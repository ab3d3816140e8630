// Where the lives that a run launches are awaited: the run ends after them, and their failures are its own.
// N1. A life's throw is never lost and never unhandled: it is told at once, and raised when the run ends.

import type { StopSignal } from '../kernel/stop-signal.ts';

export interface Nursery {
  /** What stops the lives here. */
  readonly signal: StopSignal;
  raise(life: Promise<void>): void;
  /** Whether any life was raised here. */
  readonly isUsed: boolean;
  /** Settles when no life is left; throws the first failure. Nothing to wait for where none was raised. */
  empty(): Promise<void> | undefined;
}

/** `told` hears of each failure at once (N1). Most runs launch nothing, and then this is one small object. */
export const openNursery = (told: { fail(thrown: unknown): void }, signal: StopSignal): Nursery =>
  new OpenNursery(told, signal);

class OpenNursery implements Nursery {
  readonly signal: StopSignal;
  readonly #told: { fail(thrown: unknown): void };
  #living: Set<Promise<void>> | undefined;
  #failure: { readonly thrown: unknown } | undefined;

  constructor(told: { fail(thrown: unknown): void }, signal: StopSignal) {
    this.signal = signal;
    this.#told = told;
  }

  get isUsed(): boolean {
    return this.#living !== undefined;
  }

  raise(life: Promise<void>): void {
    const lives = (this.#living ??= new Set());
    const watched: Promise<void> = life
      .catch((thrown: unknown) => {
        this.#failure ??= { thrown };
        this.#told.fail(thrown); // N1
      })
      .finally(() => lives.delete(watched));
    lives.add(watched);
  }

  empty(): Promise<void> | undefined {
    return this.#living === undefined ? undefined : this.#outlive(this.#living);
  }

  async #outlive(lives: Set<Promise<void>>): Promise<void> {
    while (lives.size > 0) await Promise.all(lives);
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}
