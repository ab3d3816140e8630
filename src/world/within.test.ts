// Work under a deadline, with a clock that the test sets.

import { expect, test } from 'vitest';
import { fault } from '../kernel/fault.ts';
import { Stop } from './abort.ts';
import type { Deadline } from './deadline.ts';
import { openOp } from './drive.ts';
import { within, withinAll } from './within.ts';
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

test('the time of an earlier message counts: what is left is less by that, and an abort says why', async () => {
  const { now, work } = clock();
  const limit = deadline(100_000);
  expect(await within(limit, op(), now, work(60_000))).toBe(false);
  expect(limit.usedMs).toBe(60_000);
  // It began half a minute ago by the record, and 40 seconds were left then.
  expect(await within(limit, op({ since: now() - 30_000 }), now, work(0))).toBe(false);
  expect(await within(limit, op({ since: now() - 15_000 }), now, work(0))).toBe(true);
});

test('what the record holds from beginning to end is not stopped, and counts as long as it took then', async () => {
  const { now, work } = clock();
  const limit = deadline(100);
  expect(await within(limit, op({ since: 5000, until: 5300 }), now, work(60_000))).toBe(false);
  expect(limit).toMatchObject({ usedMs: 300, isRunning: false });
});

test('a further message counts for every deadline above that is not at work, and for none twice', async () => {
  const { now, work } = clock();
  const top = deadline(100_000);
  const low = deadline(100_000, top);
  await withinAll(low, op(), now, work(10));
  expect([top.usedMs, low.usedMs]).toEqual([10, 10]);
  await within(top, op(), now, (timed) => withinAll(low, timed, now, work(5)));
  expect([top.usedMs, low.usedMs]).toEqual([15, 15]);
});
