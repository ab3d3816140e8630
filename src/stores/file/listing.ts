// The list of runs, from the index. A line of it tells how many bytes of the journal it covers, so only what was
// written since is read: nothing for an ended run, the tail for a running one. A store looks at an ended run once, and
// not at all where its line tells that it does not fit the query. A list of the newest alone reads the end of the index.
// All work on very many runs rests, so that a server goes on.
// LISTING-1. A run without an end that no process holds is read once more: it may have ended between the two looks. If
//            it still has no end, it was broken off: the lock of a run is there before its journal is, and until after
//            its end.
// LISTING-2. The first sums of a process keep nothing of ended runs, because to keep very many costs more than to read them.
//            Later ones go by what is kept since.

import { statSync } from 'node:fs';
import { atOnce } from '../../base/text/steps.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunTotals, SpentQuery, SpentReport } from '../../journal/run-totals.ts';
import { inSlices, openSlice } from '../../journal/slices.ts';
import type { IndexProgress, RunQuery, RunSummary, SpentRun } from '../../journal/store.ts';
import { SpentFold } from '../../views/runs/spending.ts';
import { indexCounting } from '../index-counting.ts';
import type { OrderedRuns } from '../ordered-runs.ts';
import { spentRunIn } from '../spent-text.ts';
import { parseEvent } from '../stored-event.ts';
import { fits, isAfter, type RecordedSummary, summaryOf } from '../summary.ts';
import { caughtUp } from './counted-journal.ts';
import { type RunFolder, runFolder } from './folder.ts';
import { holderOf } from './lock.ts';
import { logLines } from './log.ts';
import { RunFolderNames } from './run-folder-names.ts';
import type { RunIndex } from './run-index.ts';
import { isAboutGroup, RunLines } from './run-lines.ts';

/** So many runs are counted from their journals without anybody waiting for it. */
const FEW = 50;

/** A list of so few runs, whatever they are, reads no more than the end of the index. */
const FEW_LISTED = 250;

/** The runs that are taken out of the order at a time. */
const AT_ONCE = 512;

/** The index is rewritten when it has this many lines more than twice the number of runs. */
const SPARE_LINES = 1000;

export class RunListing {
  readonly #runs: string;
  readonly #index: RunIndex;
  readonly #names: RunFolderNames;
  readonly #lines = new RunLines();
  /** SpentReport of ended runs. It is kept from the second sums on. */
  #spending: Map<RunId, SpentRun> | undefined;
  #hasSummed = false;
  readonly #counting = indexCounting(FEW);
  /** The end of the last look at the store: one begins after the other. */
  #looked: Promise<unknown> = Promise.resolve();

  constructor(runs: string, index: RunIndex) {
    this.#runs = runs;
    this.#index = index;
    this.#names = new RunFolderNames(runs, this.#lines);
  }

  /** Undefined while no list counts many runs from their journals. */
  progress(): IndexProgress | undefined {
    return this.#counting.progress();
  }

  async list(query: RunQuery): Promise<readonly RunSummary[]> {
    const { limit = Number.POSITIVE_INFINITY, ...choice } = query;
    const isSimple = limit <= FEW_LISTED && Object.values(choice).every((value) => value === undefined);
    const runs = await this.#look(() => this.#all(isSimple ? 'end' : isAboutGroup(query) ? 'groups' : 'whole'));
    const listed = await this.#listed(this.#chosen(query, runs), query, isSimple ? 0 : runs.size - this.#lines.size);
    if (this.#index.isWhole() && this.#index.lines() > 2 * runs.size + SPARE_LINES)
      this.#index.rewrite(this.#texts(runs));
    return listed;
  }

  async spent(query: SpentQuery): Promise<SpentReport> {
    const sums = new SpentFold(query);
    const others = await this.#look(() =>
      this.#hasSummed || this.#index.isWhole() ? this.#addKept(sums) : this.#addOnce(sums),
    );
    for (const summary of await this.#listed([others], {}, others.length)) sums.add(summary);
    return sums.report();
  }

  /** Ended runs are counted once. Those that have not ended are looked at. */
  async totals(): Promise<RunTotals> {
    const runs = await this.#look(() => this.#all('groups'));
    const open = await this.#listed([[...this.#lines.open()]], {}, runs.size - this.#lines.size);
    await inSlices(this.#lines.count());
    const tally = atOnce(this.#lines.count()); // what has ended meanwhile
    return tally.totals(open.filter(({ run }) => this.#lines.open().has(run)));
  }

  /** Undefined where nothing is written of it yet. */
  async one(run: RunId): Promise<RunSummary | undefined> {
    if (this.#lines.isSettled(run)) await this.#look(() => this.#gain('end')); // it may be another run of that name by now
    return (await this.#listed([[run]], {}, 0))[0];
  }

  /** One look at a time, because each goes on where the one before has stopped. */
  #look<Found>(look: () => Promise<Found>): Promise<Found> {
    const found = this.#looked.then(look);
    this.#looked = found.catch(() => {});
    return found;
  }

  async #all(what: 'groups' | 'whole' | 'end'): Promise<OrderedRuns> {
    const runs = await this.#names.look();
    await this.#gain(what === 'end' ? 'end' : 'whole');
    if (what === 'groups') await inSlices(this.#lines.groupAll(runs));
    return runs;
  }

  /** Newest first, some at a time. A run that comes or goes meanwhile disturbs no other. */
  *#chosen(query: RunQuery, runs: OrderedRuns): Generator<readonly RunId[]> {
    const candidates = this.#lines.candidates(query);
    if (candidates !== undefined) return yield candidates.filter((run) => isAfter(run, query));
    for (let { before } = query; ; ) {
      const some = runs.next(before, AT_ONCE);
      yield some;
      before = some.at(-1);
      if (before === undefined) return;
    }
  }

  async #listed(
    chosen: Iterable<readonly RunId[]>,
    query: RunQuery,
    uncounted: number,
  ): Promise<readonly RunSummary[]> {
    const found: RunSummary[] = [];
    const learned: RecordedSummary[] = [];
    const ended = this.#counting.begin(uncounted);
    const { limit = Number.POSITIVE_INFINITY } = query;
    const slice = openSlice();
    try {
      for (const some of chosen) {
        for (const run of some) {
          if (found.length >= limit) return found;
          if (slice.isOver()) await slice.rest();
          if (this.#lines.isUnfit(run, query)) continue;
          const summary = this.#summarize(run, learned);
          if (summary !== undefined && fits(summary, query, () => askedOf(runFolder(this.#runs, run))))
            found.push(summary);
        }
      }
      return found;
    } finally {
      ended();
      this.#index.add(learned);
    }
  }

  /** Puts what was not known before into `learned`. */
  #summarize(run: RunId, learned: RecordedSummary[]): RunSummary | undefined {
    const before = this.#lines.last(run);
    if (before !== undefined && this.#lines.isSettled(run)) return summaryOf(before, () => false);
    const folder = runFolder(this.#runs, run);
    let tally = this.#read(run, folder, before);
    if (before === undefined) this.#counting.did();
    if (tally === undefined || tally.startedAt === 0) return undefined;
    const isHeld = tally.outcome === undefined && holderOf(folder) !== undefined;
    if (tally.outcome === undefined && !isHeld) tally = this.#read(run, folder, tally) ?? tally; // LISTING-1
    if (tally !== before && !isHeld) learned.push(tally);
    if (tally.outcome !== undefined) this.#lines.settle(run);
    return summaryOf(tally, () => isHeld);
  }

  /** The summary by the journal as it is now; undefined if it says nothing. */
  #read(run: RunId, folder: RunFolder, before: RecordedSummary | undefined): RecordedSummary | undefined {
    const size = statSync(folder.events, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) return undefined;
    const tally = before?.bytes === size ? before : caughtUp(run, folder, before, size);
    if (tally !== before || tally.outcome === undefined) this.#lines.put(run, tally);
    return tally;
  }

  /** Takes in the lines that any process has added to the index. */
  async #gain(what: 'whole' | 'end'): Promise<void> {
    const tell = (run: RunId, line: string | undefined): void => {
      if (this.#spending !== undefined) keepSpent(this.#spending, run, line);
      this.#lines.put(run, line);
    };
    if (what === 'whole' || this.#index.isWhole()) await inSlices(this.#index.gained(tell));
    else this.#index.gainedAtEnd(tell);
  }

  /** LISTING-2. Returns the runs that the index does not have as ended. */
  async #addOnce(sums: SpentFold): Promise<readonly RunId[]> {
    this.#hasSummed = true;
    const left = new Set((await this.#names.look()).all());
    const others: RunId[] = [];
    const scan = this.#index.scanBack((run, spent, line) => {
      if (!left.delete(run)) return; // removed, or a later line of it counts
      if (spent !== undefined) return sums.add(spent);
      others.push(run);
      this.#lines.put(run, line());
    });
    await inSlices(scan);
    return [...others, ...left];
  }

  async #addKept(sums: SpentFold): Promise<readonly RunId[]> {
    const runs = (await this.#names.look()).all().slice();
    await this.#gain('whole');
    this.#spending ??= await inSlices(this.#lines.spent());
    const others: RunId[] = [];
    const slice = openSlice();
    for (const run of runs) {
      if (slice.isOver()) await slice.rest();
      const spent = this.#spending.get(run);
      if (spent === undefined) others.push(run);
      else sums.add(spent);
    }
    return others;
  }

  /** Oldest first, so that the newest stand where a list of few looks for them. */
  *#texts(runs: OrderedRuns): Generator<string> {
    const newestFirst = runs.next(undefined, runs.size);
    for (let at = newestFirst.length - 1; at >= 0; at--) {
      const text = this.#lines.textOf(newestFirst[at] as RunId);
      if (text !== undefined) yield text;
    }
  }
}

/** Nothing more is spent by a run that has ended. */
function keepSpent(spending: Map<RunId, SpentRun>, run: RunId, line: string | undefined): void {
  const found = line === undefined ? undefined : spentRunIn(line);
  if (found === undefined) spending.delete(run);
  else spending.set(found.run, found); // `run` is a part of the line, and would keep all of it in memory
}

/** The whole text of a run's input. Empty if it cannot be read, because a damaged run must not break the list. */
function askedOf({ events }: RunFolder): string {
  try {
    for (const line of logLines(events)) {
      const first = parseEvent(line.text);
      return first.type === 'run-start' ? first.input.text : '';
    }
    return '';
  } catch {
    return '';
  }
}
