// cadre runs prune: removes old runs and what only they used, and says how much that was.

import { formatDuration } from '../../../definition/read/duration.ts';
import { type PrunedRuns, type PruneRequest, pruneRuns } from '../../../journal/prune.ts';
import type { RunSummary } from '../../../journal/store.ts';
import { fail } from '../../../kernel/fault.ts';
import * as amounts from '../../../views/amounts.ts';
import { ageOf, DAY_MS } from '../../lookup/age.ts';
import { endingOf } from '../../lookup/ending.ts';
import { type StoreOptions, storeHere } from '../../lookup/store-place.ts';
import { wholeNumber } from '../../lookup/whole-number.ts';
import { runTable } from '../../render/run-table.ts';
import { notify, print, printJson } from '../../screen/output.ts';
import { columnsOf } from '../../screen/terminal.ts';

export interface PruneOptions extends StoreOptions {
  readonly olderThan?: string;
  readonly keep?: string;
  readonly outcome?: readonly string[];
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export async function prune(options: PruneOptions): Promise<number> {
  const request = requestOf(options);
  const { store } = await storeHere(options);
  const runs: RunSummary[] = [];
  const inUse: RunSummary[] = [];
  const isJson = options.json === true;
  let gone = 0;
  const pruned = await pruneRuns(store, request, Date.now(), {
    removed(some) {
      gone += some.length;
      runs.push(...(isJson ? some : some.slice(0, SHOWN - runs.length)));
      if (gone >= SHOWN) notify(`${amounts.plural(gone, 'run')} ${done(request)} so far.`);
    },
    inUse: (some) => isJson && inUse.push(...some),
  });
  if (isJson) {
    printJson(JSON.stringify({ dryRun: options.dryRun === true, ...pruned, runs, inUse }, null, 2));
    return 0;
  }
  if (runs.length > 0) {
    print(runTable(runs, Date.now(), { columns: columnsOf(process.stdout), sizes: true }).join('\n'));
  }
  if (pruned.runs > runs.length)
    notify(`and ${amounts.plural(pruned.runs - runs.length, 'more run')}; --json names all.`);
  notify(summary(pruned, request).join('\n'));
  return 0;
}

/** Rows of the table. A store may hold very many runs. */
const SHOWN = 100;

const done = ({ dryRun }: PruneRequest): string => (dryRun === true ? 'would be removed' : 'removed');

const USUAL_AGE_MS = 30 * DAY_MS;

/** The runs to remove. Without an age or a number, those younger than thirty days stay. */
function requestOf({ olderThan, keep, outcome, dryRun = false }: PruneOptions): PruneRequest {
  const age = olderThan === undefined ? (keep === undefined ? USUAL_AGE_MS : 0) : pruneAge(olderThan);
  return {
    olderThanMs: age,
    ...(keep !== undefined && { keep: wholeNumber('--keep', keep, { least: 0, says: 'a whole number' }) }),
    ...(outcome !== undefined && { endings: outcome.map(endingOf) }),
    dryRun,
  };
}

const pruneAge = (given: string): number =>
  ageOf(given) ?? fail('usage', `--older-than takes a duration such as 30d, 12h or 0s, not "${given}".`);

function summary(
  { runs, bytes, inUse, brokenOff, tests, blobs }: PrunedRuns,
  request: PruneRequest,
): readonly string[] {
  const { olderThanMs = 0 } = request;
  const age =
    olderThanMs >= DAY_MS && olderThanMs % DAY_MS === 0 ? `${olderThanMs / DAY_MS}d` : formatDuration(olderThanMs);
  const nothing = runs === 0 && tests === 0 && blobs.removed.count === 0;
  const results = tests === 0 ? '' : `, ${amounts.plural(tests, 'result')} of tests`;
  return [
    nothing
      ? `Nothing to remove${olderThanMs > 0 ? ` that is older than ${age}` : ''}.`
      : `${amounts.plural(runs, 'run')}${results} and ${amounts.plural(blobs.removed.count, 'blob')} ${done(request)}: ${amounts.bytes(bytes + blobs.removed.bytes)}.`,
    ...(inUse > 0 ? [`${amounts.plural(inUse, 'run')} left alone: resumed meanwhile.`] : []),
    ...(brokenOff > 0
      ? [`${amounts.plural(brokenOff, 'run')} broken off and kept, to be resumed; --outcome broken-off removes them.`]
      : []),
  ];
}
