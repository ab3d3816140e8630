// The background of a session: what it launched and does not wait for. A run ends after everything in its background,
// and a failure there is a failure of the run.
// ADOPT-1. A throw in the background is never lost and never unhandled: it is reported at once, and thrown again when the
//     run ends.

import type { StopSignal } from '../kernel/stop-signal.ts';

/** `failures` is given each failure at once (ADOPT-1). Most runs launch nothing, and then this is one small object. */
export const openBackground = (failures: { fail(thrown: unknown): void }, signal: StopSignal): Background =>
  new Background(failures, signal);

export class Background {
  /** Stops what runs here. */
  readonly signal: StopSignal;
  readonly #failures: { fail(thrown: unknown): void };
  #adopted: Set<Promise<void>> | undefined;
  #failure: { readonly thrown: unknown } | undefined;

  constructor(failures: { fail(thrown: unknown): void }, signal: StopSignal) {
    this.signal = signal;
    this.#failures = failures;
  }

  /** True if anything was adopted here. */
  get isUsed(): boolean {
    return this.#adopted !== undefined;
  }

  /** Takes over a drive that the caller does not wait for. */
  adopt(driven: Promise<void>): void {
    const adopted = (this.#adopted ??= new Set());
    const watched: Promise<void> = driven
      .catch((thrown: unknown) => {
        this.#failure ??= { thrown };
        this.#failures.fail(thrown); // ADOPT-1
      })
      .finally(() => adopted.delete(watched));
    adopted.add(watched);
  }

  /** Settles when everything here has ended; throws the first failure. Undefined if nothing was adopted. */
  settled(): Promise<void> | undefined {
    return this.#adopted === undefined ? undefined : this.#settle(this.#adopted);
  }

  async #settle(adopted: Set<Promise<void>>): Promise<void> {
    while (adopted.size > 0) await Promise.all(adopted);
    if (this.#failure !== undefined) throw this.#failure.thrown;
  }
}
