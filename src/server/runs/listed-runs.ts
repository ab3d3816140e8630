// The list of runs and the sums over it. Rows, totals and days of one request go by one filter, over the whole store: what a
// page of rows shows says nothing of the rest.

import type { RestingWork } from '../../base/text/steps.ts';
import type { RunId } from '../../journal/event.ts';
import { notesByRun } from '../../journal/notes.ts';
import type { RunTotals, SpentBy, SpentReport } from '../../journal/run-totals.ts';
import { inSlices } from '../../journal/slices.ts';
import type { RunNote, RunQuery, RunSummary } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { type Calendar, calendarIn } from '../../views/runs/calendar.ts';
import { type Filter, matches, parseFilter } from '../../views/runs/filter.ts';
import { filteredRun } from '../../views/runs/filtered-run.ts';
import { runSum, runTotals } from '../../views/runs/run-sums.ts';
import { spentQuery, spentReport } from '../../views/runs/spending.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import type { MessageSums, RunList, RunRow, SpentList } from '../messages/runs.ts';
import { seenStore } from './seen-store.ts';
import { runRows } from './visible-runs.ts';

interface RunChoice extends Omit<RunQuery, 'before' | 'limit'> {
  /** Only runs of this cadre. */
  readonly prefix?: string;
  /** The words of the filter, whose days are those of `zone`. */
  readonly q?: string;
  readonly zone?: string;
}

export interface ListQuery extends RunChoice, Pick<RunQuery, 'before' | 'limit'> {
  /** One row for each conversation. */
  readonly together?: true;
  readonly totals?: false;
}

export interface SpentChoice extends RunChoice {
  readonly by: readonly SpentBy[];
}

const USUAL_LIMIT = 50;
/** So many are looked at at a time, where not every one fits. */
const AT_ONCE = 500;

/** Newest first. The first page counts all runs that fit. */
export async function listedRuns(query: ListQuery, caller: Caller, context: ServerContext): Promise<RunList> {
  const { before, limit = USUAL_LIMIT, together, totals, ...choice } = query;
  const sieve = new Sieve(choice, caller, context);
  if (before === undefined && totals !== false && !sieve.isOpen) {
    const all = await sieve.all();
    const threads = together === true ? threadsOf(all) : NO_THREADS;
    const page = firstOf(all, limit, threads);
    return { ...(await asList(page, threads, context)), ...(await inSlices(runTotals(all))) };
  }
  const threads = together === true ? threadsOf(await sieve.all({ threaded: true })) : NO_THREADS;
  const page = await asList(await sieve.page(before, limit, threads), threads, context);
  return before === undefined && totals !== false ? { ...page, ...(await sieve.totals()) } : page;
}

export async function runsSpent(
  { by, ...choice }: SpentChoice,
  caller: Caller,
  context: ServerContext,
): Promise<SpentList> {
  const { rows, total } = await new Sieve(choice, caller, context).spent(by);
  return { rows: [...rows], total };
}

/** Sieves the runs that a caller may see. */
class Sieve {
  readonly calendar: Calendar;
  /** All runs that the caller may see pass. */
  readonly isOpen: boolean;
  readonly #store: ReturnType<typeof seenStore>;
  readonly #stored: RunQuery;
  readonly #prefix: string | undefined;
  readonly #filter: Filter;
  readonly #context: ServerContext;
  #noted: Promise<readonly RunNote[]> | undefined;

  constructor({ prefix, q = '', zone, ...stored }: RunChoice, caller: Caller, context: ServerContext) {
    this.calendar = zonedCalendar(zone);
    this.#store = seenStore(caller, context);
    this.#stored = stored;
    this.#prefix = prefix;
    this.#filter = parseFilter(q, this.calendar);
    this.isOpen = this.#filter.length === 0 && prefix === undefined && isEmpty(stored);
    this.#context = context;
  }

  /** The totals of all runs that the caller may see. */
  totals(): Promise<RunTotals> {
    return this.#store.totals();
  }

  async all(more: RunQuery = {}): Promise<readonly RunSummary[]> {
    return this.#sieved(await this.#store.list({ ...this.#stored, ...more }));
  }

  /** Where days alone are chosen, the store makes the sums. */
  async spent(by: readonly SpentBy[]): Promise<SpentReport> {
    const { since, until, ...others } = this.#stored;
    const query = spentQuery(by, this.calendar, {
      ...(since !== undefined && { since }),
      ...(until !== undefined && { until }),
    });
    const isSieved = this.#filter.length > 0 || this.#prefix !== undefined || !isEmpty(others);
    return isSieved ? inSlices(spentReport(await this.all(), query)) : this.#store.spent(query);
  }

  async page(before: RunId | undefined, limit: number, threads: Threads): Promise<ListPage> {
    const items: RunSummary[] = [];
    const isWhole = this.#filter.length === 0 && this.#prefix === undefined && threads.size === 0;
    const most = isWhole ? limit + 1 : Math.max(AT_ONCE, limit + 1);
    for (let from = before; ; ) {
      const found = await this.#store.list({
        ...this.#stored,
        limit: most,
        ...(from !== undefined && { before: from }),
      });
      for (const one of await this.#sieved(found)) {
        if (!isShown(one, threads)) continue;
        if (items.length === limit) return { items, next: items.at(-1)?.run };
        items.push(one);
      }
      if (found.length < most) return { items, next: undefined };
      from = found.at(-1)?.run;
    }
  }

  async #sieved(runs: readonly RunSummary[]): Promise<readonly RunSummary[]> {
    if (this.#filter.length === 0 && this.#prefix === undefined) return runs;
    const { cadres, now } = this.#context;
    const moment = now();
    const notes = await this.#notes();
    const isFit = (run: RunSummary): boolean => {
      const prefix = cadres.ofFolder(run.folder)?.prefix ?? null;
      if (this.#prefix !== undefined && prefix !== this.#prefix) return false;
      return this.#filter.length === 0 || matches(filteredRun(run, prefix, notes.get(run.run)), this.#filter, moment);
    };
    return inSlices(fitting(runs, isFit));
  }

  /** Notes are read only for a filter that asks for marks. */
  async #notes(): Promise<ReadonlyMap<RunId, readonly RunNote[]>> {
    if (!this.#filter.some(({ field }) => field === 'mark')) return new Map();
    this.#noted ??= this.#store.notes.list();
    return notesByRun(await this.#noted);
  }
}

const isEmpty = (query: RunQuery): boolean => Object.values(query).every((value) => value === undefined);

function* fitting(
  runs: readonly RunSummary[],
  isFit: (run: RunSummary) => boolean,
): RestingWork<readonly RunSummary[]> {
  const found: RunSummary[] = [];
  for (const run of runs) {
    if (isFit(run)) found.push(run);
    yield;
  }
  return found;
}

/** Throws `usage` for a zone that is none. */
function zonedCalendar(zone = 'UTC'): Calendar {
  const found = calendarIn(zone);
  if (found !== undefined) return found;
  const shown = JSON.stringify(zone.slice(0, 80));
  return fail('usage', `${shown} is no time zone. It takes a name of IANA, such as Europe/Berlin or UTC.`);
}

interface ListPage {
  readonly items: readonly RunSummary[];
  readonly next: RunId | undefined;
}

/** The runs of each conversation, newest first. */
type Threads = ReadonlyMap<string, readonly RunSummary[]>;
const NO_THREADS: Threads = new Map();

function threadsOf(runs: readonly RunSummary[]): Threads {
  const threads = new Map<string, RunSummary[]>();
  for (const run of runs) {
    if (run.thread === undefined) continue;
    const own = threads.get(run.thread);
    if (own === undefined) threads.set(run.thread, [run]);
    else own.push(run);
  }
  return threads;
}

/** A conversation stands at the place of its newest message. */
const isShown = ({ run, thread }: RunSummary, threads: Threads): boolean =>
  thread === undefined || (threads.get(thread)?.[0]?.run ?? run) === run;

function firstOf(all: readonly RunSummary[], limit: number, threads: Threads): ListPage {
  const items: RunSummary[] = [];
  for (const one of all) {
    if (!isShown(one, threads)) continue;
    if (items.length === limit) return { items, next: items.at(-1)?.run };
    items.push(one);
  }
  return { items, next: undefined };
}

async function asList(
  { items, next }: ListPage,
  threads: Threads,
  context: ServerContext,
): Promise<Pick<RunList, 'items' | 'next'>> {
  const rows = await runRows(items, context);
  const withSums = rows.map((row): RunRow => {
    const own = row.thread === undefined ? undefined : threads.get(row.thread);
    return own === undefined || own.length < 2 ? row : { ...row, messages: messageSums(own) };
  });
  return { items: withSums, ...(next !== undefined && { next }) };
}

const messageSums = (runs: readonly RunSummary[]): MessageSums => ({
  ...runSum(runs),
  waiting: runs.reduce((sum, { waiting }) => sum + waiting, 0),
  ms: runs.reduce((sum, { startedAt, endedAt = startedAt }) => sum + endedAt - startedAt, 0),
  asked: runs.at(-1)?.input.text ?? '',
});
