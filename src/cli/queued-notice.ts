// Tells whoever follows a run that it waits for a worker, and why. Each reason is told once.

import type { RunSummary } from '../journal/store.ts';

/** The summary of a run, as it is looked at now and then. A run that is seen queued once may be taken at this moment. */
export function tellingQueued({
  summary,
  why,
  tell,
}: {
  summary(): Promise<RunSummary>;
  /** The reason why no worker has it. */
  why(summary: RunSummary): Promise<string | undefined>;
  tell(text: string): void;
}): () => Promise<RunSummary> {
  const told = new Set<string>();
  let looks = 0;
  return async () => {
    const found = await summary();
    looks = found.queued === true ? looks + 1 : 0;
    const reason = looks < 2 ? undefined : await why(found);
    if (reason !== undefined && !told.has(reason)) {
      told.add(reason);
      tell(`queued: ${reason}`);
    }
    return found;
  };
}
