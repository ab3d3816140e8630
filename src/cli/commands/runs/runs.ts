// cadre runs: what has been run, newest first.

import { atOnce } from '../../../base/text/steps.ts';
import { whyQueued } from '../../../engine/fleet/queued.ts';
import type { RunId } from '../../../journal/event.ts';
import type { SpentQuery, SpentReport } from '../../../journal/run-totals.ts';
import { MARKS, type Mark, type RunQuery, type RunStore, type RunSummary } from '../../../journal/store.ts';
import { fail } from '../../../kernel/fault.ts';
import * as amounts from '../../../views/amounts.ts';
import { spentReport } from '../../../views/runs/spending.ts';
import { ageOf } from '../../lookup/age.ts';
import { endingOf } from '../../lookup/ending.ts';
import { type StoreOptions, storeHere } from '../../lookup/store-place.ts';
import { COUNT, wholeNumber } from '../../lookup/whole-number.ts';
import { queuedNotes, runTable } from '../../render/run-table.ts';
import { notify, print, printJson } from '../../screen/output.ts';
import { columnsOf } from '../../screen/terminal.ts';
import { queryOfSpent, showSpent } from './show-spent.ts';

export interface RunsOptions extends StoreOptions {
  readonly json?: boolean;
  readonly limit?: string;
  readonly sizes?: boolean;
  readonly agent?: string;
  readonly label?: string;
  readonly thread?: string;
  readonly outcome?: readonly string[];
  readonly text?: string;
  readonly since?: string;
  readonly waiting?: boolean;
  readonly mark?: string;
  readonly spent?: boolean;
  readonly by?: string;
  readonly zone?: string;
}

const USUAL_LIMIT = 20;

export async function runs(options: RunsOptions): Promise<number> {
  const limit = options.limit === undefined ? USUAL_LIMIT : wholeNumber('--limit', options.limit, COUNT);
  const query = queryOf(options, Date.now());
  const mark = options.mark === undefined ? undefined : markOf(options.mark);
  const endings = options.outcome?.map(endingOf);
  refuseWithoutSpent(options);
  const spent = options.spent === true ? queryOfSpent(options, query.since) : undefined;
  const { place, store } = await storeHere(options);
  if (spent !== undefined)
    return showSpent(await spending(store, { query, spent, endings, mark }), spent, options.json === true);
  const marked = mark === undefined ? undefined : await markedRuns(mark, store);
  const found = await listed(store, query, { endings, marked }, limit + 1);
  const shown = found.slice(0, limit);
  const why = await whyQueued(shown, store);
  const notes = await store.notes.of(shown.map(({ run }) => run));
  if (options.json === true) {
    const rows = shown.map((one) => ({
      ...one,
      ...(why.has(one.run) && { queuedWhy: why.get(one.run) }),
      ...(notes.has(one.run) && { notes: notes.get(one.run) }),
    }));
    printJson(JSON.stringify(rows, null, 2));
    return 0;
  }
  if (shown.length === 0) {
    const isAny = Object.keys(query).length === 0 && endings === undefined && mark === undefined;
    notify(
      isAny
        ? `No runs in ${place.shown} yet. Start one with: cadre run <agent> <input>`
        : `No run in ${place.shown} fits these options. To see all of them: cadre runs`,
    );
    return 0;
  }
  const sizes = options.sizes === true;
  print(runTable(shown, Date.now(), { columns: columnsOf(process.stdout), sizes, notes }).join('\n'));
  for (const line of queuedNotes(why)) notify(line);
  if (found.length > limit) notify(`There are more: --limit ${limit * 5}`);
  if (sizes) notify(await totalSizes(store));
  return 0;
}

function refuseWithoutSpent({ spent, by, zone }: RunsOptions): void {
  if (spent !== true && (by !== undefined || zone !== undefined))
    fail('usage', `${by === undefined ? '--zone' : '--by'} goes with --spent, which it is about.`);
}

/** Where only a time is given, the store makes the sums. */
async function spending(
  store: RunStore,
  {
    query,
    spent,
    endings,
    mark,
  }: Pick<ListedRuns, 'endings'> & {
    readonly query: RunQuery;
    readonly spent: SpentQuery;
    readonly mark: Mark | undefined;
  },
): Promise<SpentReport> {
  const { since: _, ...others } = query;
  if (Object.keys(others).length === 0 && endings === undefined && mark === undefined) return store.spent(spent);
  const marked = mark === undefined ? undefined : await markedRuns(mark, store);
  return atOnce(spentReport(await listed(store, query, { endings, marked }, Number.POSITIVE_INFINITY), spent));
}

function queryOf({ agent, label, thread, text, since, waiting }: RunsOptions, now: number): RunQuery {
  return {
    ...(agent !== undefined && { agent }),
    ...(label !== undefined && { label }),
    ...(thread !== undefined && { thread }),
    ...(text !== undefined && { text }),
    ...(since !== undefined && { since: momentOf(since, now) }),
    ...(waiting === true && { waiting }),
  };
}

/** Reads a duration before now, or a date. */
function momentOf(given: string, now: number): number {
  const age = ageOf(given);
  if (age !== undefined) return now - age;
  const moment = /^\d{4}-\d\d/.test(given) ? Date.parse(given) : Number.NaN;
  if (Number.isNaN(moment))
    fail('usage', `--since takes a duration such as 2h or 7d, or a date such as 2026-11-15, not "${given}".`);
  return moment;
}

interface ListedRuns {
  readonly endings: readonly ReturnType<typeof endingOf>[] | undefined;
  /** Only these runs. */
  readonly marked: ReadonlySet<RunId> | undefined;
}

/** The store filters by one ending at a time, and knows nothing of marks. */
async function listed(
  store: RunStore,
  query: RunQuery,
  { endings, marked }: ListedRuns,
  limit: number,
): Promise<readonly RunSummary[]> {
  if (endings === undefined && marked === undefined) return store.list({ ...query, limit });
  const found: RunSummary[] = [];
  const wanted = new Set(endings).size === 0 ? [{}] : [...new Set(endings)].map(queryForEnding);
  for (const one of wanted) {
    const all = await store.list({ ...query, ...one, ...(marked === undefined && { limit }) });
    found.push(...all.filter(({ run }) => marked?.has(run) ?? true));
  }
  return found.sort((left, right) => (left.run < right.run ? 1 : -1)).slice(0, limit);
}

const queryForEnding = (ending: ReturnType<typeof endingOf>): RunQuery =>
  ending === 'broken-off' ? { state: ending } : { outcome: ending };

function markOf(given: string): Mark {
  const mark = MARKS.find((one) => one === given);
  return mark ?? fail('usage', `--mark takes ${MARKS.join(' or ')}, not "${given}".`);
}

async function markedRuns(mark: Mark, store: RunStore): Promise<ReadonlySet<RunId>> {
  const notes = await store.notes.list();
  return new Set(notes.filter((note) => note.mark === mark).map(({ run }) => run));
}

async function totalSizes(store: RunStore): Promise<string> {
  const all = await store.list();
  const journals = all.reduce((sum, one) => sum + one.bytes, 0);
  const { kept, removed } = await store.collect({ before: Date.now(), dryRun: true });
  const blobs = `${amounts.plural(kept.count + removed.count, 'blob')}, ${amounts.bytes(kept.bytes + removed.bytes)}`;
  const unused = removed.count === 0 ? '' : ` (${amounts.bytes(removed.bytes)} used by no run: cadre runs prune)`;
  return `in all: ${amounts.plural(all.length, 'run')}, ${amounts.bytes(journals)}; ${blobs}${unused}`;
}
