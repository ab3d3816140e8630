// Retention: removes old runs, and with them the blobs that only they named; and results of tests that are as old.
// A run that a process works on is never touched; one that was broken off can still be resumed, and is removed only if
// the caller asks for those.

import type { OutcomeKind } from '../kernel/fault.ts';
import { FaultError } from '../kernel/fault.ts';
import type { CollectedBlobs, RunStore, RunSummary } from './store.ts';

export type RunEnding = OutcomeKind | 'broken-off';

export interface PruneRequest {
  /** Only runs that have not moved for this long. */
  readonly olderThanMs?: number;
  /** This many of the newest runs stay, however old they are. */
  readonly keep?: number;
  /** Only runs that ended in one of these ways. */
  readonly endings?: readonly RunEnding[];
  readonly dryRun?: boolean;
}

export interface PrunedRuns {
  /** The number of runs that were removed, and the bytes of their journals. */
  readonly runs: number;
  readonly bytes: number;
  /** Runs that would have been removed, but that a process resumed meanwhile. */
  readonly inUse: number;
  /** Runs that were broken off, and stay only because the caller did not ask for those. */
  readonly brokenOff: number;
  /** Results of tests that are as old. Their number is bounded anyway, so only an age removes them. */
  readonly tests: number;
  readonly blobs: CollectedBlobs;
}

/** A blob that a process put and has not named yet is at most this old. */
const GRACE_MS = 3_600_000;

/** Runs that are looked at together. Each page lists the store again, so a small one would be slow. */
const PAGE = 10_000;

export async function pruneRuns(
  store: RunStore,
  request: PruneRequest,
  now: number,
  watcher: { removed?(runs: readonly RunSummary[]): void; inUse?(runs: readonly RunSummary[]): void } = {},
): Promise<PrunedRuns> {
  const { keep = 0, dryRun = false } = request;
  const count = { runs: 0, bytes: 0, inUse: 0, brokenOff: 0 };
  let toKeep = keep;
  let before: RunSummary['run'] | undefined;
  for (;;) {
    const page = await store.list({ limit: PAGE, ...(before !== undefined && { before }) });
    const old = page.slice(toKeep).filter((one) => isOld(one, request, now));
    const removed: RunSummary[] = [];
    const inUse: RunSummary[] = [];
    for (const one of old) {
      if (isMeant(one, request)) (dryRun || (await isRemoved(one, store)) ? removed : inUse).push(one);
      else if (one.state === 'broken-off') count.brokenOff++;
    }
    count.runs += removed.length;
    count.bytes += removed.reduce((sum, { bytes }) => sum + bytes, 0);
    count.inUse += inUse.length;
    if (removed.length > 0) watcher.removed?.(removed);
    if (inUse.length > 0) watcher.inUse?.(inUse);
    toKeep = Math.max(0, toKeep - page.length);
    before = page.at(-1)?.run;
    if (page.length < PAGE) break;
  }
  const tests = await oldTests(store, request, now);
  if (!dryRun) for (const id of tests) await store.tests.remove(id);
  return { ...count, tests: tests.length, blobs: await store.collect({ before: now - GRACE_MS, dryRun }) };
}

async function oldTests(
  store: RunStore,
  { olderThanMs = 0, endings }: PruneRequest,
  now: number,
): Promise<readonly string[]> {
  if (olderThanMs === 0 || endings !== undefined) return [];
  return (await store.tests.list()).filter(({ putAt }) => now - putAt >= olderThanMs).map(({ id }) => id);
}

function isOld(
  { state, startedAt, endedAt = startedAt }: RunSummary,
  { olderThanMs = 0 }: PruneRequest,
  now: number,
): boolean {
  return state !== 'running' && now - endedAt >= olderThanMs;
}

function isMeant({ state, outcome }: RunSummary, { endings }: PruneRequest): boolean {
  const ending = state === 'broken-off' ? state : outcome;
  return endings === undefined ? state === 'ended' : ending !== undefined && endings.includes(ending);
}

async function isRemoved({ run }: RunSummary, store: RunStore): Promise<boolean> {
  try {
    await store.remove(run);
    return true;
  } catch (thrown) {
    if (thrown instanceof FaultError && thrown.fault.code === 'run/locked') return false;
    if (thrown instanceof FaultError && thrown.fault.code === 'run/unknown') return true; // another process was faster
    throw thrown;
  }
}
