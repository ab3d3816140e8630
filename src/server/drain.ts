// Ends a server in order. Runs at work may go on for the grace time. Those that have not ended by then make no new
// call; the calls that are out come back and are recorded, and the runs go on at the next start with nothing in doubt.
// Tests do not go on later: they are ended at once, and what they have done is kept.

import { setTimeout } from 'node:timers/promises';
import type { Engine } from '../engine/engine.ts';
import type { RunActivity } from './run-activity.ts';
import type { RunStarter } from './run-starter.ts';
import type { ServerTests } from './server-tests.ts';

/** The part of the grace time that is kept for calls that are out. */
const LAST_CALLS = 0.25;
const MOST_LAST_MS = 10_000;
const LOOK_MS = 250;

/** Settles when the process can end. */
export async function drain({
  runs,
  tests,
  engine,
  activity,
  graceMs,
  hurry,
  log,
}: {
  readonly runs: Pick<RunStarter, 'drain' | 'settled' | 'left'>;
  readonly tests: Pick<ServerTests, 'close'>;
  readonly engine: Pick<Engine, 'suspend'>;
  readonly activity: Pick<RunActivity, 'isIdle'>;
  readonly graceMs: number;
  /** Aborted: end at once. */
  readonly hurry: AbortSignal;
  log(text: string): void;
}): Promise<void> {
  const lastMs = Math.min(graceMs * LAST_CALLS, MOST_LAST_MS);
  const isIdle = (): boolean => runs.left().every((run) => activity.isIdle(run));
  runs.drain();
  const tested = within(tests.close(), graceMs, hurry);
  await within(Promise.race([runs.settled(), untilTrue(isIdle, hurry)]), graceMs - lastMs, hurry);
  await tested;
  const left = runs.left();
  if (left.length === 0 || hurry.aborted) return;
  const what = left.length === 1 ? '1 run goes' : `${left.length} runs go`;
  log(`${what} on at the next start; calls that are out may take ${Math.ceil(lastMs / 1000)} s more`);
  await within(Promise.all(left.map((run) => engine.suspend(run, lastMs))), lastMs + LOOK_MS, hurry);
}

/** The runs that are left wait for people, so there is nothing to wait for here. */
async function untilTrue(isSo: () => boolean, hurry: AbortSignal): Promise<void> {
  while (!hurry.aborted && !isSo()) await setTimeout(LOOK_MS, undefined, { ref: false });
}

async function within(work: Promise<unknown>, ms: number, hurry: AbortSignal): Promise<void> {
  if (hurry.aborted) return;
  const over = new AbortController();
  const late = setTimeout(ms, undefined, { signal: AbortSignal.any([hurry, over.signal]) }).catch(() => {}); // not waited for
  await Promise.race([work, late]);
  over.abort();
}
