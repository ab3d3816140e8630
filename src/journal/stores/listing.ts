// The list of runs, from summaries. A summary tells how many bytes of the journal it covers, so only what was
// written since is read: nothing for an ended run, the tail for a running one. A store looks at an ended run once.

import { readdirSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { fail } from '../../kernel/fault.ts';
import type { RunId } from '../event.ts';
import type { RunQuery, RunSummary } from '../store.ts';
import { codeOf } from './disk.ts';
import { readSummary, type RunFolder, runFolder, writeSummary } from './folder.ts';
import { holderOf } from './lock.ts';
import { linesOf, parseEvent } from './log.ts';
import { isRunId } from './run-names.ts';
import { emptyTally, fits, type GrowingTally, newestFirst, summaryOf, type Tally, tallyEvent } from './summary.ts';

/** After so many runs, others get a turn at the event loop. */
const AT_ONCE = 500;

export interface Listing {
  /** Newest first. */
  ids(): readonly RunId[];
  list(query: RunQuery): Promise<readonly RunSummary[]>;
  forget(run: RunId): void;
}

export function listing(runs: string): Listing {
  const known = new Map<RunId, Tally>();

  const ids = (): readonly RunId[] =>
    entriesOf(runs)
      .filter((entry) => entry.isDirectory() && isRunId(entry.name))
      .map((entry) => entry.name)
      .sort(newestFirst);

  const summarize = (run: RunId): RunSummary | undefined => {
    const seen = known.get(run);
    if (seen?.outcome !== undefined) return summaryOf(seen, () => false);
    const folder = runFolder(runs, run);
    const size = statSync(folder.events, { throwIfNoEntry: false })?.size ?? 0;
    const last = seen ?? readSummary(folder, run);
    const tally = last?.bytes === size ? last : caughtUp(run, folder, last, size);
    known.set(run, tally);
    if (tally.startedAt === 0) return undefined;
    const summary = summaryOf(tally, () => holderOf(folder.lock) !== undefined);
    if (tally !== last && summary.state !== 'running') writeSummary(folder, tally);
    return summary;
  };

  return {
    ids,
    forget: (run) => void known.delete(run),
    async list(query) {
      const found: RunSummary[] = [];
      let looked = 0;
      for (const run of ids()) {
        if (found.length >= (query.limit ?? Number.POSITIVE_INFINITY)) break;
        if (++looked % AT_ONCE === 0) await setImmediate();
        const summary = summarize(run);
        if (summary !== undefined && fits(summary, query)) found.push(summary);
      }
      return found;
    },
  };
}

/** A summary extended by what the journal has gained. A damaged line ends it: listing is no place to fail. */
function caughtUp(run: RunId, folder: RunFolder, last: Tally | undefined, size: number): Tally {
  if (size === 0) return emptyTally(run);
  const tally: GrowingTally = last !== undefined && last.bytes < size ? { ...last } : emptyTally(run);
  try {
    for (const line of linesOf(folder.events, tally.bytes)) {
      if (!line.whole) break;
      tallyEvent(tally, parseEvent(line.text));
      tally.bytes = line.end;
    }
  } catch {
    return tally;
  }
  return tally;
}

function entriesOf(runs: string) {
  try {
    return readdirSync(runs, { withFileTypes: true });
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    fail('journal/corrupt', `${runs} cannot be read (${codeOf(thrown)}). It must be a folder that this user may read.`);
  }
}
