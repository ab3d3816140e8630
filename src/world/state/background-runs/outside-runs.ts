// Runs of the same store that are not part of this one, for a run that starts after them.

import type { SpawnId, SpawnReport } from '../../../kernel/spawned.ts';

export interface OutsideRuns {
  /** Reports each of these runs once, when it is over. Returns a function that stops watching. */
  watch(runs: readonly SpawnId[], over: (report: SpawnReport) => void): () => void;
}

export const nothingOutside: OutsideRuns = { watch: () => () => {} };
