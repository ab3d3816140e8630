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

/** `told` hears of each failure at once (N1). */
export function openNursery(told: { fail(thrown: unknown): void }, signal: StopSignal): Nursery {
  let living: Set<Promise<void>> | undefined;
  let failure: { readonly thrown: unknown } | undefined;

  const outlive = async (lives: Set<Promise<void>>): Promise<void> => {
    while (lives.size > 0) await Promise.all(lives);
    if (failure !== undefined) throw failure.thrown;
  };
  return {
    signal,
    raise(life) {
      const lives = (living ??= new Set());
      const watched: Promise<void> = life
        .catch((thrown: unknown) => {
          failure ??= { thrown };
          told.fail(thrown); // N1
        })
        .finally(() => lives.delete(watched));
      lives.add(watched);
    },
    get isUsed() {
      return living !== undefined;
    },
    empty: () => (living === undefined ? undefined : outlive(living)),
  };
}
