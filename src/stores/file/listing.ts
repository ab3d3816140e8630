// The list of runs, from the index. A line of it tells how many bytes of the journal it covers, so only what was
// written since is read: nothing for an ended run, the tail for a running one. A store looks at an ended run once, and
// not at all where its line tells that it does not fit the query.
// LISTING-1. A run without an end that no process holds is read once more: it may have ended between the two looks. If
//            it still has no end, it was broken off: the lock of a run is there before its journal is, and until after
//            its end.
// LISTING-2. A process that only sums up keeps no line of an ended run: to keep those of very many costs more than to read them.

import { readdirSync, statSync } from 'node:fs';
import type { RunEvent, RunId } from '../../journal/event.ts';
import { isRunId } from '../../journal/run-names.ts';
import { openSlice } from '../../journal/slices.ts';
import type { IndexProgress, RunQuery, RunSummary, SpentRun } from '../../journal/store.ts';
import { lenientUpcaster } from '../../journal/upcast.ts';
import { fail } from '../../kernel/fault.ts';
import { indexCounting } from '../index-counting.ts';
import { parseEvent } from '../stored-event.ts';
import {
  emptySummary,
  fits,
  isAfter,
  isAtRest,
  type RecordedSummary,
  type SummaryFold,
  spentRunIn,
  summaryFold,
  summaryOf,
} from '../summary.ts';
import { codeOf } from './disk.ts';
import { type RunFolder, runFolder } from './folder.ts';
import { holderOf } from './lock.ts';
import { logLines } from './log.ts';
import { mayFit, type RunIndex, tallyIn } from './run-index.ts';

/** So many runs are counted from their journals without anybody waiting for it. */
const FEW = 50;

/** The index is rewritten when it has this many lines more than twice the number of runs. */
const SPARE_LINES = 1000;

export function listing(
  runs: string,
  index: RunIndex,
): {
  /** Newest first. */
  ids(): readonly RunId[];
  list(query: RunQuery): Promise<readonly RunSummary[]>;
  spent(query: Pick<RunQuery, 'since' | 'until'>): Promise<readonly SpentRun[]>;
  /** Undefined where nothing is written of it yet. */
  one(run: RunId): RunSummary | undefined;
  /** Undefined while no list counts many runs from their journals. */
  progress(): IndexProgress | undefined;
} {
  /** An ended run stays a line of the index: the text takes less memory than what is in it. */
  const known = new Map<RunId, RecordedSummary | string>();
  /** Ended, and compared with their journals. */
  const settled = new Set<RunId>();
  /** Spending of ended runs. It is kept from the first time on that anybody asks for it. */
  let spent: Map<RunId, SpentRun> | undefined;
  const counting = indexCounting(FEW);

  /** True if the line is of a run that has ended: then nothing more is spent. */
  const keepSpent = (run: RunId, line: string | undefined): boolean => {
    const found = line === undefined ? undefined : spentRunIn(line);
    if (found === undefined) spent?.delete(run);
    else spent?.set(run, found);
    return found !== undefined;
  };
  const learn = (run: RunId, line: string | undefined): void => {
    if (spent !== undefined) keepSpent(run, line);
    settled.delete(run);
    if (line === undefined) known.delete(run);
    else known.set(run, line);
  };
  const ids = (): readonly RunId[] => {
    const found: RunId[] = [];
    for (const entry of entriesOf(runs)) if (entry.isDirectory() && isRunId(entry.name)) found.push(entry.name);
    return found.sort().reverse(); // as newestFirst does, and several times as fast
  };

  const last = (run: RunId): RecordedSummary | undefined => {
    const found = known.get(run);
    return typeof found === 'string' ? tallyIn(found) : found;
  };
  /** The summary by the journal as it is now; undefined if it says nothing. */
  const read = (run: RunId, folder: RunFolder, before: RecordedSummary | undefined): RecordedSummary | undefined => {
    const size = statSync(folder.events, { throwIfNoEntry: false })?.size ?? 0;
    if (size === 0) return undefined;
    const tally = before?.bytes === size ? before : caughtUp(run, folder, before, size);
    if (tally !== before || tally.outcome === undefined) known.set(run, tally);
    return tally;
  };

  /** Puts what was not known before into `learned`. */
  const summarize = (run: RunId, learned: RecordedSummary[]): RunSummary | undefined => {
    const before = last(run);
    if (before !== undefined && settled.has(run)) return summaryOf(before, () => false);
    const folder = runFolder(runs, run);
    let tally = read(run, folder, before);
    if (before === undefined) counting.did();
    if (tally === undefined || tally.startedAt === 0) return undefined;
    const isHeld = tally.outcome === undefined && holderOf(folder) !== undefined;
    if (tally.outcome === undefined && !isHeld) tally = read(run, folder, tally) ?? tally; // LISTING-1
    if (tally !== before && !isHeld) learned.push(tally);
    if (tally.outcome !== undefined) settled.add(run);
    return summaryOf(tally, () => isHeld);
  };

  /** LISTING-2 */
  const gainedSpending = (): ReadonlyMap<RunId, SpentRun> => {
    if (spent !== undefined) {
      index.gained(learn);
      return spent;
    }
    spent = new Map();
    index.scan((run, line) => {
      if (!keepSpent(run, line) && line !== undefined) known.set(run, line);
    });
    return spent;
  };
  const summarizeFew = (few: ReadonlySet<RunId>): readonly RunSummary[] => {
    const learned: RecordedSummary[] = [];
    const found = [...few].flatMap((run) => summarize(run, learned) ?? []);
    index.add(learned);
    return found;
  };

  const listed = async (query: RunQuery, isOne: (run: RunId) => boolean = () => true): Promise<RunSummary[]> => {
    const found: RunSummary[] = [];
    const learned: RecordedSummary[] = [];
    const all = ids();
    index.gained(learn);
    const ended = counting.begin(all.length - known.size);
    const slice = openSlice();
    try {
      for (const run of all) {
        if (found.length >= (query.limit ?? Number.POSITIVE_INFINITY)) break;
        if (!isAfter(run, query) || !isOne(run)) continue;
        const line = known.get(run);
        if (typeof line === 'string' && !mayFit(line, query)) continue;
        if (slice.isOver()) await slice.rest();
        const summary = summarize(run, learned);
        if (summary !== undefined && fits(summary, query, () => askedOf(runFolder(runs, run)))) found.push(summary);
      }
    } finally {
      ended();
      index.add(learned);
    }
    if (index.lines() > 2 * all.length + SPARE_LINES) index.rewrite(all.flatMap((run) => last(run) ?? []));
    return found;
  };

  return {
    ids,
    progress: counting.progress,
    list: listed,
    async spent({ since = 0, until = Number.POSITIVE_INFINITY }) {
      const all = ids();
      const spending = gainedSpending();
      const found = all.flatMap((run) => spending.get(run) ?? []);
      const others = new Set(found.length === all.length ? [] : all.filter((run) => !spending.has(run)));
      const summaries = others.size > FEW ? await listed({}, (run) => others.has(run)) : summarizeFew(others);
      return [...found, ...summaries].filter(({ startedAt }) => startedAt >= since && startedAt < until);
    },
    one(run) {
      const learned: RecordedSummary[] = [];
      if (settled.has(run)) index.gained(learn); // it may be another run of that name by now
      const summary = summarize(run, learned);
      index.add(learned);
      return summary;
    },
  };
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

/** The counts, extended by what the journal has gained; unchanged if that is nothing. */
function caughtUp(run: RunId, folder: RunFolder, last: RecordedSummary | undefined, size: number): RecordedSummary {
  const found = (last !== undefined && last.bytes < size && continued(last, folder)) || countedAnew(run, folder);
  return last !== undefined && found.events === last.events && found.bytes === last.bytes ? last : found;
}

/** If it has not ended and this process did not count what came before, the run is counted from its beginning. */
function continued(last: RecordedSummary, folder: RunFolder): RecordedSummary | undefined {
  const counter = counters.get(last) ?? (isAtRest(last) ? summaryFold({ ...last }) : undefined);
  return counter !== undefined && isContinued(counter, folder.events) ? snapshot(counter) : undefined;
}

function countedAnew(run: RunId, folder: RunFolder): RecordedSummary {
  const counter = summaryFold(emptySummary(run));
  isContinued(counter, folder.events);
  return snapshot(counter);
}

/** The counters that go on, by the last counts that they gave. */
const counters = new WeakMap<RecordedSummary, SummaryFold>();

function snapshot(counter: SummaryFold): RecordedSummary {
  const tally = { ...counter.tally };
  counters.set(tally, counter);
  return tally;
}

const upcasters = new WeakMap<SummaryFold, (event: RunEvent) => RunEvent>();

/** Lifts what a run of an earlier release has gained. Its first event says the version where it is counted on. */
function upcasterOf(counter: SummaryFold, file: string): (event: RunEvent) => RunEvent {
  const made = upcasters.get(counter);
  if (made !== undefined) return made;
  const upcast = lenientUpcaster();
  upcasters.set(counter, upcast);
  if (counter.tally.bytes === 0) return upcast;
  for (const { text } of logLines(file)) {
    upcast(parseEvent(text));
    break;
  }
  return upcast;
}

/** Counts what follows, up to a line that is damaged or out of order, because a damaged run must not break the list. */
function isContinued(counter: SummaryFold, file: string): boolean {
  const { tally } = counter;
  try {
    const upcast = upcasterOf(counter, file);
    for (const line of logLines(file, tally.bytes)) {
      if (!line.whole) return true;
      const event = parseEvent(line.text);
      if (event.seq !== tally.events || typeof event.at !== 'number') return false;
      counter.add(upcast(event));
      tally.bytes = line.end;
    }
    return true;
  } catch {
    return false;
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
