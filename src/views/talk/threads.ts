// The conversations of a store, and the branches of one: made from the rows of its runs alone.
// WORDING-1. Each message names the run before it (`continues`). Messages with the same one before them are wordings of
//            one place.
// WORDING-2. A copy that a fork made is a wording like any other, but a thread is not shown at it unless it is asked
//            for.

import type { RunId } from '../../journal/event.ts';
import type { RunSummary } from '../../journal/store.ts';

type LinkedRun = Pick<RunSummary, 'run' | 'continues' | 'startedAt' | 'forkedFrom'>;

const byAge = (left: LinkedRun, right: LinkedRun): number =>
  left.startedAt - right.startedAt || (left.run < right.run ? -1 : 1);

/** The message before it. Undefined where it is the first, or the one before is gone. */
const beforeOf = ({ continues }: LinkedRun, runs: ReadonlyMap<RunId, unknown>): RunId | undefined =>
  continues !== undefined && runs.has(continues) ? continues : undefined;

/**
 * The messages from the first one to the newest, in their order (WORDING-1). `through`: the branch that holds this run, to the
 * newest message that follows it.
 */
export function branchOf<Run extends LinkedRun>(all: readonly Run[], through?: RunId): readonly Run[] {
  const runs = new Map(all.map((run) => [run.run, run]));
  const sorted = [...all].sort(byAge);
  const lineOf = (last: Run | undefined): readonly Run[] => {
    const line: Run[] = [];
    for (let at = last; at !== undefined && !line.includes(at); ) {
      line.unshift(at);
      const before = beforeOf(at, runs);
      at = before === undefined ? undefined : runs.get(before);
    }
    return line;
  };
  const named = through === undefined ? undefined : runs.get(through);
  if (named === undefined)
    return lineOf(sorted.findLast(({ forkedFrom }) => forkedFrom === undefined) ?? sorted.at(-1));
  const newest = sorted.findLast((run) => lineOf(run).includes(named));
  return lineOf(newest);
}

/** The wordings of a place in a thread, oldest first (WORDING-1). */
export function wordingsOf<Run extends LinkedRun>(of: Run, all: readonly Run[]): readonly Run[] {
  const runs = new Map(all.map((run) => [run.run, run]));
  const before = beforeOf(of, runs);
  return all.filter((run) => beforeOf(run, runs) === before).sort(byAge);
}

export interface ThreadSummary {
  readonly thread: string;
  /** The first request, on one line and cut. */
  readonly title: string;
  /** The newest message: the one that the thread goes on from. */
  readonly newest: RunSummary;
  readonly runs: readonly RunSummary[];
  /** The number of messages on the branch of the newest one. */
  readonly messages: number;
  /** The cost of all branches. Absent if no call is priced. */
  readonly usd?: number;
  /** `usd` is only the least that was spent. */
  readonly atLeast: boolean;
  /** Questions of its runs to a person. */
  readonly waiting: number;
  /** The time at which anything last began or ended. */
  readonly at: number;
}

const TITLE = 200;

/** Those with the newest message first. */
export function threadSummaries(runs: readonly RunSummary[]): readonly ThreadSummary[] {
  const threads = new Map<string, RunSummary[]>();
  for (const run of runs) {
    if (run.thread === undefined) continue;
    const own = threads.get(run.thread);
    if (own === undefined) threads.set(run.thread, [run]);
    else own.push(run);
  }
  return [...threads]
    .map(([thread, own]) => summaryOf(thread, own))
    .sort((left, right) => right.at - left.at || (left.thread < right.thread ? 1 : -1));
}

function summaryOf(thread: string, runs: readonly RunSummary[]): ThreadSummary {
  const branch = branchOf(runs);
  const [first, newest] = [branch[0] as RunSummary, branch.at(-1) as RunSummary];
  const priced = runs.flatMap(({ usd }) => (usd === undefined ? [] : [usd]));
  return {
    thread,
    title: first.input.text
      .slice(0, TITLE * 4)
      .replaceAll(/\s+/g, ' ')
      .trim()
      .slice(0, TITLE),
    newest,
    runs,
    messages: branch.length,
    ...(priced.length > 0 && { usd: priced.reduce((sum, usd) => sum + usd, 0) }),
    atLeast: runs.some((run) => run.atLeast),
    waiting: runs.reduce((sum, { waiting }) => sum + waiting, 0),
    at: Math.max(...runs.map(({ startedAt, endedAt }) => endedAt ?? startedAt)),
  };
}

/** True if a thread holds all words: in its requests, or in the name of its agent. */
export function holdsWords(words: readonly string[], { newest, runs }: ThreadSummary): boolean {
  const text = [newest.agent, ...runs.map(({ input }) => input.text)].join('\n').toLowerCase();
  return words.every((word) => text.includes(word.toLowerCase()));
}
