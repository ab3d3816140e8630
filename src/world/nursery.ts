// Where the lives that a run launches are awaited: the run ends after them, and their failures are its own.
// N1. A life's throw is never lost and never unhandled: it is told at once, and raised when the run ends.

export interface Nursery {
  raise(life: Promise<void>): void;
  /** Settles when no life is left; throws the first failure. Nothing to wait for where none was raised. */
  empty(): Promise<void> | undefined;
}

/** `told` hears of each failure at once (N1). */
export function openNursery(told: { fail(thrown: unknown): void }): Nursery {
  let living: Set<Promise<void>> | undefined;
  let failure: { readonly thrown: unknown } | undefined;

  const outlive = async (lives: Set<Promise<void>>): Promise<void> => {
    while (lives.size > 0) await Promise.all(lives);
    if (failure !== undefined) throw failure.thrown;
  };
  return {
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
    empty: () => (living === undefined ? undefined : outlive(living)),
  };
}
