// Asks the store why runs wait for a worker.

import type { RunId } from '../../journal/event.ts';
import type { RunStore, RunSummary } from '../../journal/store.ts';
import { queuedWhy } from '../../views/queued-why.ts';

/** Tells of each of these runs that waits for a worker why none has it. It costs nothing if none waits. */
export async function whyQueued(
  summaries: readonly RunSummary[],
  { fleet }: RunStore,
): Promise<ReadonlyMap<RunId, string>> {
  const queued = summaries.filter((one) => one.queued === true);
  if (fleet === undefined || queued.length === 0) return new Map();
  const [workers, waiting] = await Promise.all([fleet.workers(), fleet.waiting(queued.map(({ run }) => run))]);
  return new Map(
    queued.flatMap((one) => {
      const known = waiting.get(one.run);
      return known === undefined ? [] : [[one.run, queuedWhy(one, known, workers)] as const];
    }),
  );
}
