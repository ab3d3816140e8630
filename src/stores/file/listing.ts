// The list of runs, from the index. A line of it tells how many bytes of the journal it covers, so only what was
// written since is read: nothing for an ended run, the tail for a running one. A store looks at an ended run once, and
// not at all where its line tells that it does not fit the query.
// LISTING-1. A run without an end that no process holds is read once more: it may have ended between the two looks. If
//            it still has no end, it was broken off: the lock of a run is there before its journal is, and until after
//            its end.
// LISTING-2. A process that only sums up keeps no line of an ended run: to keep those of very many costs more than to read them.

import { readdirSync, statSync } from 'node:fs';
import type { RunId } from '../../journal/event.ts';
import { isRunId } from '../../journal/run-names.ts';
import { openSlice } from '../../journal/slices.ts';
import type { IndexProgress, RunQuery, RunSummary, SpentRun } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import { indexCounting } from '../index-counting.ts';
import { parseEvent } from '../stored-event.ts';
import { fits, isAfter, type RecordedSummary, spentRunIn, summaryOf } from '../summary.ts';
import { caughtUp } from './counted-journal.ts';
import { codeOf } from './disk.ts';
import { type RunFolder, runFolder } from './folder.ts';
import { holderOf } from './lock.ts';
import { logLines } from './log.ts';
import { mayFit, type RunIndex, tallyIn } from './run-index.ts';

/** So many runs are counted from their journals without anybody waiting for it. */
const FEW = 50;

/** The index is rewritten when it has this many lines more than twice the number of runs. */
const SPARE_LINES = 1000;

export class RunListing {
  readonly #runs: string;
  readonly #index: RunIndex;
  /** An ended run stays a line of the index: the text takes less memory than what is in it. */
  readonly #known = new Map<RunId, RecordedSummary | string>();
  /** Ended, and compared with their journals. */
  readonly #settled = new Set<RunId>();
  /** Spending of ended runs. It is kept from the first time on that anybody asks for it. */
  #spending: Map<RunId, SpentRun> | undefined;
  readonly #counting = indexCounting(FEW);

  constructor(runs: string, index: RunIndex) {
    this.#runs = runs;
    this.#index = index;
  }

  /** Newest first. */
  ids(): readonly RunId[] {
    const found: RunId[] = [];
    for (const entry of entriesOf(this.#runs)) if (entry.isDirectory() && isRunId(entry.name)) found.push(entry.name);
    return found.sort().reverse(); // as newestFirst does, and several times as fast
  }

  /** Undefined while no list counts many runs from their journals. */
  progress(): IndexProgress | undefined {
    return this.#counting.progress();
  }

  list(query: RunQuery): Promise<readonly RunSummary[]> {
    return this.#listed(query, () => true);
  }

  async spent({
    since = 0,
    until = Number.POSITIVE_INFINITY,
  }: Pick<RunQuery, 'since' | 'until'>): Promise<readonly SpentRun[]> {
    const all = this.ids();
    const spending = this.#gainedSpending();
    const found = all.flatMap((run) => spending.get(run) ?? []);
    const others = new Set(found.length === all.length ? [] : all.filter((run) => !spending.has(run)));
    const summaries = others.size > FEW ? await this.#listed({}, (run) => others.has(run)) : this.#summarizeFew(others);
    return [...found, ...summaries].filter(({ startedAt }) => startedAt >= since && startedAt < until);
  }

  /** Undefined where nothing is written of it yet. */
  one(run: RunId): RunSummary | undefined {
    if (this.#settled.has(run)) this.#gain(); // it may be another run of that name by now
    return this.#summarizeFew(new Set([run]))[0];
  }

  async #listed(query: RunQuery, isOne: (run: RunId) => boolean): Promise<readonly RunSummary[]> {
    const found: RunSummary[] = [];
    const learned: RecordedSummary[] = [];
    const all = this.ids();
    this.#gain();
    const ended = this.#counting.begin(all.length - this.#known.size);
    const slice = openSlice();
    try {
      for (const run of all) {
        if (found.length >= (query.limit ?? Number.POSITIVE_INFINITY)) break;
        if (!isAfter(run, query) || !isOne(run)) continue;
        const line = this.#known.get(run);
        if (typeof line === 'string' && !mayFit(line, query)) continue;
        if (slice.isOver()) await slice.rest();
        const summary = this.#summarize(run, learned);
        if (summary !== undefined && fits(summary, query, () => askedOf(runFolder(this.#runs, run))))
          found.push(summary);
      }
    } finally {
      ended();
      this.#index.add(learned);
    }
    if (this.#index.lines() > 2 * all.length + SPARE_LINES)
      this.#index.rewrite(all.flatMap((run) => this.#last(run) ?? []));
    return found;
  }

  #summarizeFew(few: ReadonlySet<RunId>): readonly RunSummary[] {
    const learned: RecordedSummary[] = [];
    const found = [...few].flatMap((run) => this.#summarize(run, learned) ?? []);
    this.#index.add(learned);
    return found;
  }

  /** Puts what was not known before into `learned`. */
  #summarize(run: RunId, learned: RecordedSummary[]): RunSummary | undefined {
    const before = this.#last(run);
    if (before !== undefined && this.#settled.has(run)) return summaryOf(before, () => false);
    const folder = runFolder(this.#runs, run);
    let tally = this.#read(run, folder, before);
    if (before === undefined) this.#counting.did();
    if (tally === undefined || tally.startedAt === 0) return undefined;
    const isHeld = tally.outcome === undefined && holderOf(folder) !== undefined;
    if (tally.outcome === undefined && !isHeld) tally = this.#read(run, folder, tally) ?? tally; // LISTING-1
    if (tally !== before && !isHeld) learned.push(tally);
    if (tally.outcome !== undefined) this.#settled.add(run);
    return summaryOf(tally, () => isHeld);
  }

  /** The summary by the journal as it is now; undefined if it says nothing. */
  #read(run: RunId, folder: RunFolder, before: RecordedSummary | undefined): RecordedSummary | undefined {
    const size = statSync(folder.events, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) return undefined;
    const tally = before?.bytes === size ? before : caughtUp(run, folder, before, size);
    if (tally !== before || tally.outcome === undefined) this.#known.set(run, tally);
    return tally;
  }

  #last(run: RunId): RecordedSummary | undefined {
    const found = this.#known.get(run);
    return typeof found === 'string' ? tallyIn(found) : found;
  }

  /** Takes in the lines that any process has added to the index. */
  #gain(): void {
    this.#index.gained((run, line) => {
      if (this.#spending !== undefined) keepSpent(this.#spending, run, line);
      this.#settled.delete(run);
      if (line === undefined) this.#known.delete(run);
      else this.#known.set(run, line);
    });
  }

  /** LISTING-2 */
  #gainedSpending(): ReadonlyMap<RunId, SpentRun> {
    if (this.#spending !== undefined) {
      this.#gain();
      return this.#spending;
    }
    const spending = new Map<RunId, SpentRun>();
    this.#spending = spending;
    this.#index.scan((run, line) => {
      if (!keepSpent(spending, run, line) && line !== undefined) this.#known.set(run, line);
    });
    return spending;
  }
}

/** True if the line is of a run that has ended: then nothing more is spent. */
function keepSpent(spending: Map<RunId, SpentRun>, run: RunId, line: string | undefined): boolean {
  const found = line === undefined ? undefined : spentRunIn(line);
  if (found === undefined) spending.delete(run);
  else spending.set(run, found);
  return found !== undefined;
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

function entriesOf(runs: string) {
  try {
    return readdirSync(runs, { withFileTypes: true });
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    fail('journal/corrupt', `${runs} cannot be read (${codeOf(thrown)}). It must be a folder that this user may read.`);
  }
}
