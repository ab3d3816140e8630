// Retention: removes old runs, and with them the blobs that only they named.
// A run that a process works on is never touched; one that was broken off can still be resumed, and is removed only if
// the caller asks for those.

import type { OutcomeKind } from '../kernel/fault.ts';
import { FaultError } from '../kernel/fault.ts';
import type { Collected, RunStore, RunSummary } from './store.ts';

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

export interface Pruned {
  readonly runs: readonly RunSummary[];
  /** Runs that would have been removed, but that a process resumed meanwhile. */
  readonly inUse: readonly RunSummary[];
  /** Runs that were broken off, and stay only because the caller did not ask for those. */
  readonly brokenOff: number;
  readonly blobs: Collected;
}

/** A blob that a process put and has not named yet is at most this old. */
export const GRACE_MS = 3_600_000;

export async function prune(store: RunStore, request: PruneRequest, now: number): Promise<Pruned> {
  const { keep = 0, dryRun = false } = request;
  const old = (await store.list()).slice(keep).filter((one) => isOld(one, request, now));
  const chosen = old.filter((one) => isMeant(one, request));
  const brokenOff = old.filter((one) => one.state === 'broken-off' && !chosen.includes(one)).length;
  const runs: RunSummary[] = [];
  const inUse: RunSummary[] = [];
  for (const one of chosen) (dryRun || (await isRemoved(one, store)) ? runs : inUse).push(one);
  const blobs = await store.collect({ before: now - GRACE_MS, dryRun });
  return { runs, inUse, brokenOff, blobs };
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
