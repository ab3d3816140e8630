// Keeps what is known of each run of a folder: its last line of the index, or its counts by its journal. It keeps apart the runs
// that few queries are about, so that these need not look at all others, and it keeps the totals.
// LINES-1. A run that has not ended is a candidate for every query: what its line says may have changed.
// LINES-2. What is taken out of the totals is computed from the same line as what was put in.

import type { RestingWork } from '../../base/text/steps.ts';
import type { RunId } from '../../journal/event.ts';
import type { RunQuery, SpentRun } from '../../journal/store.ts';
import { RunTally } from '../../views/runs/run-sums.ts';
import type { OrderedRuns } from '../ordered-runs.ts';
import { spentRunIn, spentRunOf } from '../spent-text.ts';
import { type RecordedSummary, textOfSummary } from '../summary.ts';
import { isEnded, mayFit, tallyIn } from './run-index.ts';

/** An ended run stays a line of the index: the text takes less memory than what is in it. */
type KnownRun = RecordedSummary | string;

/** The runs that are there, in groups. */
interface RunGroups {
  readonly runs: OrderedRuns;
  readonly open: Set<RunId>;
  /** Ended, and part of a conversation, or with a label. */
  readonly threaded: Set<RunId>;
  readonly labelled: Set<RunId>;
}

/** The totals of ended runs. */
interface CountedRuns {
  readonly tally: RunTally;
  readonly counted: Set<RunId>;
  /** To be counted when somebody asks. */
  readonly uncounted: Set<RunId>;
}

export class RunLines {
  readonly #known = new Map<RunId, KnownRun>();
  /** Ended, and compared with their journals. */
  readonly #settled = new Set<RunId>();
  /** Absent until a query is about some of them. */
  #groups: RunGroups | undefined;
  /** Absent until somebody asks for totals. */
  #totals: CountedRuns | undefined;

  get size(): number {
    return this.#known.size;
  }

  isSettled(run: RunId): boolean {
    return this.#settled.has(run);
  }

  settle(run: RunId): void {
    this.#settled.add(run);
  }

  last(run: RunId): RecordedSummary | undefined {
    const found = this.#known.get(run);
    return typeof found === 'string' ? tallyIn(found) : found;
  }

  textOf(run: RunId): string | undefined {
    const found = this.#known.get(run);
    return found === undefined || typeof found === 'string' ? found : textOfSummary(found);
  }

  /** True if the run need not be looked at for this query. */
  isUnfit(run: RunId, query: RunQuery): boolean {
    const line = this.#known.get(run);
    return typeof line === 'string' && !mayFit(line, query);
  }

  /** Replaces what is known of a run. Undefined: nothing that counts. */
  put(run: RunId, known: KnownRun | undefined): void {
    this.#settled.delete(run);
    this.#uncount(run);
    if (known === undefined) this.#known.delete(run);
    else this.#known.set(run, known);
    if (this.#groups?.runs.has(run) === true) this.#group(run, this.#groups);
  }

  came(run: RunId): void {
    if (this.#groups !== undefined) this.#group(run, this.#groups);
  }

  went(run: RunId): void {
    this.put(run, undefined);
    this.#ungroup(run);
    this.#groups?.open.delete(run);
  }

  /** The whole index was read, and the query is about a group. Called again, it does nothing. */
  *groupAll(runs: OrderedRuns): RestingWork<void> {
    if (this.#groups !== undefined) return;
    const groups = { runs, open: new Set<RunId>(), threaded: new Set<RunId>(), labelled: new Set<RunId>() };
    this.#groups = groups;
    for (const run of runs.all()) {
      this.#group(run, groups);
      yield;
    }
  }

  /** Newest first. Undefined: all runs are. */
  candidates(query: RunQuery): readonly RunId[] | undefined {
    if (this.#groups === undefined || !isAboutGroup(query)) return undefined;
    const { open, threaded, labelled } = this.#groups;
    if (isAboutOpen(query)) return inOrder(open);
    return inOrder(open, isAboutThreads(query) ? threaded : labelled);
  }

  open(): ReadonlySet<RunId> {
    return this.#groups?.open ?? new Set();
  }

  /** The spending of all ended runs. */
  *spent(): RestingWork<Map<RunId, SpentRun>> {
    const spending = new Map<RunId, SpentRun>();
    for (const run of this.#known.keys()) {
      const spent = this.#spent(run);
      if (spent !== undefined) spending.set(spent.run, spent);
      yield;
    }
    return spending;
  }

  /** The totals of ended runs: of those that ended since the last call, the lines are read. */
  *count(): RestingWork<RunTally> {
    const { tally, counted, uncounted } = (this.#totals ??= this.#beginToCount());
    for (const run of uncounted) {
      uncounted.delete(run);
      const spent = this.#spent(run);
      if (spent === undefined) continue;
      tally.add(spent);
      counted.add(run);
      yield;
    }
    return tally;
  }

  #beginToCount(): CountedRuns {
    const open = this.open();
    const ended = (this.#groups?.runs.all() ?? []).filter((run) => !open.has(run));
    return { tally: new RunTally(), counted: new Set(), uncounted: new Set(ended) };
  }

  #group(run: RunId, { open, threaded, labelled }: RunGroups): void {
    this.#ungroup(run);
    const known = this.#known.get(run);
    if (known === undefined || !hasEnded(known)) {
      open.add(run);
      return;
    }
    open.delete(run);
    if (hasKey(known, 'thread')) threaded.add(run);
    if (hasKey(known, 'label')) labelled.add(run);
    this.#totals?.uncounted.add(run);
  }

  #ungroup(run: RunId): void {
    this.#groups?.threaded.delete(run);
    this.#groups?.labelled.delete(run);
    this.#totals?.uncounted.delete(run);
  }

  /** LINES-2 */
  #uncount(run: RunId): void {
    if (this.#totals?.counted.delete(run) !== true) return;
    const spent = this.#spent(run);
    if (spent !== undefined) this.#totals.tally.remove(spent);
  }

  #spent(run: RunId): SpentRun | undefined {
    const known = this.#known.get(run);
    return typeof known === 'string' ? spentRunIn(known) : known && spentRunOf(known);
  }
}

const isAboutOpen = ({ state = 'ended', waiting }: RunQuery): boolean => waiting === true || state !== 'ended';
const isAboutThreads = ({ thread, threaded }: RunQuery): boolean => thread !== undefined || threaded === true;
export const isAboutGroup = (query: RunQuery): boolean =>
  isAboutOpen(query) || isAboutThreads(query) || query.label !== undefined;

const hasEnded = (known: KnownRun): boolean =>
  typeof known === 'string' ? isEnded(known) : known.outcome !== undefined;

const hasKey = (known: KnownRun, key: 'thread' | 'label'): boolean =>
  typeof known === 'string' ? known.includes(`"${key}":"`) : known[key] !== undefined;

function inOrder(...groups: readonly ReadonlySet<RunId>[]): readonly RunId[] {
  const all: RunId[] = [];
  for (const group of groups) all.push(...group);
  return all.sort().reverse();
}
