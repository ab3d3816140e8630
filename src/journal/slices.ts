// Long work on a journal, in slices: between two of them the event loop is free for everything else that the process does.

import type { RestingWork } from '../base/text/steps.ts';

/** A slice ends after so many steps, and earlier where they take longer than this. */
const MOST_STEPS = 512;
const MOST_MS = 8;

export function openSlice(): {
  /** Call it at each step. */
  isOver(): boolean;
  /** Settles when the event loop has turned. */
  rest(): Promise<void>;
} {
  let steps = 0;
  let begun = performance.now();
  return {
    isOver: () => ++steps > MOST_STEPS || performance.now() - begun > MOST_MS,
    async rest() {
      await new Promise<void>((resolve) => setImmediate(resolve));
      steps = 0;
      begun = performance.now();
    },
  };
}

export async function inSlices<Value>(steps: RestingWork<Value>): Promise<Value> {
  const slice = openSlice();
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (slice.isOver()) await slice.rest();
  }
}
