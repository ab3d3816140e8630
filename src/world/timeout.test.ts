// Work under a deadline, with a clock that the test sets.

import { expect, test } from 'vitest';
import { fault } from '../kernel/fault.ts';
import { Stop } from './abort.ts';
import type { Deadline } from './deadline.ts';
import { openOp } from './drive.ts';
import { type DeadlineClock, withinAll, withTimeout } from './timeout.ts';
import type { Op, World } from './world.ts';

const deadline = (ms: number, parent?: Deadline): Deadline => ({
  ms,
  fault: fault('timeout', `${ms} ms have passed`),
  usedMs: 0,
  isRunning: false,
  parent,
});
const scope = { agent: 'ann', depth: 0 };
const op = (more: Partial<Op> = {}): Op => ({
  ...openOp('0.1', { path: '0.1', scope, signal: new Stop() }, {} as World),
  ...more,
});

/** Works for so long, and says whether it was stopped at its beginning. */
function clock() {
  let now = 1_000_000;
  return {
    now: () => now,
    work: (ms: number) => (timed: Op) => {
      now += ms;
      return timed.signal.aborted;
    },
  };
}

/** `dead`: from when to when nobody worked. */
const clocked = (now: () => number, dead = { from: 0, to: 0 }): DeadlineClock => ({
  now,
  workTime: (moment) => moment - Math.max(0, Math.min(moment, dead.to) - dead.from),
});

test('the time between a crash and a resume does not count, for what goes on and for what ended since', async () => {
  const { now, work } = clock();
  const start = now();
  work(1_000_000)(op());
  const dead = clocked(now, { from: start + 20_000, to: start + 950_000 });
  const limit = deadline(100_000);
  // It worked for 20 seconds before the crash and for 50 after it.
  expect(await withTimeout(limit, op({ since: start }), dead, work(0))).toBe(false);
  expect(limit.usedMs).toBe(70_000);
  await withTimeout(limit, op({ since: start + 10_000, until: start + 960_000 }), dead, work(0));
  expect(limit.usedMs).toBe(90_000);
  expect(await withTimeout(deadline(69_000), op({ since: start }), dead, work(0))).toBe(true);
});

test('the time of an earlier message counts: what is left is less by that, and an abort says why', async () => {
  const { now, work } = clock();
  const limit = deadline(100_000);
  expect(await withTimeout(limit, op(), clocked(now), work(60_000))).toBe(false);
  expect(limit.usedMs).toBe(60_000);
  // It began half a minute ago by the record, and 40 seconds were left then.
  expect(await withTimeout(limit, op({ since: now() - 30_000 }), clocked(now), work(0))).toBe(false);
  expect(await withTimeout(limit, op({ since: now() - 15_000 }), clocked(now), work(0))).toBe(true);
});

test('an op that the record holds from beginning to end is not stopped, and counts as long as it took then', async () => {
  const { now, work } = clock();
  const limit = deadline(100);
  expect(await withTimeout(limit, op({ since: 5000, until: 5300 }), clocked(now), work(60_000))).toBe(false);
  expect(limit).toMatchObject({ usedMs: 300, isRunning: false });
});

test('a further message counts for every deadline above that is not at work, and for none twice', async () => {
  const { now, work } = clock();
  const top = deadline(100_000);
  const low = deadline(100_000, top);
  await withinAll(low, op(), clocked(now), work(10));
  expect([top.usedMs, low.usedMs]).toEqual([10, 10]);
  await withTimeout(top, op(), clocked(now), (timed) => withinAll(low, timed, clocked(now), work(5)));
  expect([top.usedMs, low.usedMs]).toEqual([15, 15]);
});
