// A view of a run, kept up to date by need: it is given the events that it has not seen when somebody reads it. When the
// run is looked at as it was earlier, or goes on after it was taken for broken off, the view begins anew.

import type { RunEvent } from '../../../src/journal/event.ts';

export interface Fold {
  add(event: RunEvent): void;
  settle?(): void;
}

/** The part of a run that is shown. `settled`: nobody works on it any more. */
export interface Extent {
  readonly events: readonly RunEvent[];
  readonly count: number;
  /** No process works on the run: what has begun and not ended is in doubt. */
  readonly settled: boolean;
}

export interface Folded<Made extends Fold> {
  /** The fold, with exactly the events of the extent in it. */
  upTo(extent: Extent): Made;
}

export function folded<Made extends Fold>(make: () => Made): Folded<Made> {
  let fold = make();
  let done = 0;
  let isSettled = false;
  return {
    upTo({ events, count, settled }) {
      if (count < done || (isSettled && (count > done || !settled))) [fold, done, isSettled] = [make(), 0, false];
      for (; done < count; done++) {
        const event = events[done];
        if (event !== undefined) fold.add(event);
      }
      if (settled && !isSettled) {
        fold.settle?.();
        isSettled = true;
      }
      return fold;
    },
  };
}
