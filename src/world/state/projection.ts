// The state of a run: a number of folds over its events.
// PROJECTION-1. Each fold is given every event once, in the order of the journal: what was recorded before when the run
//     is opened, and each further event as soon as it has its place. So a resumed run is in the same state as before,
//     and nothing else changes this state.
// PROJECTION-2. What has no place in the journal changes no state. A performer computes its answer from the state as it
//     is; the answer changes the state when its event is added.

import type { RunEvent } from '../../journal/event.ts';

export interface Fold {
  /** Events that do not concern it cost next to nothing. */
  add(event: RunEvent): void;
}

/** The state of a world whose events change nothing. */
export const noState: Fold = { add() {} };
