import { expect, test } from 'vitest';
import type { RunEvent } from '../journal/event.ts';
import { type PrunedRuns, type PruneRequest, pruneRuns } from '../journal/prune.ts';
import { runEnd, runStart, wholeRun, write } from '../journal/store.conformance.ts';
import type { RunStore } from '../journal/store.ts';
import { memoryStore } from './memory.ts';

const DAY = 86_400_000;
const failed: RunEvent = runEnd(1, { kind: 'failed', fault: { code: 'internal', message: 'no' } });

/** One run a day for four days, the newest broken off, the oldest failed. */
async function fourDays() {
  const store = memoryStore();
  for (const [index, run] of ['d1', 'd2', 'd3', 'd4'].entries()) {
    const at = (index + 1) * DAY;
    const events = run === 'd1' ? [runStart(run), failed] : wholeRun(run).slice(0, run === 'd4' ? 2 : 4);
    await write(
      store,
      run,
      events.map((event) => ({ ...event, at })),
    );
  }
  const left = async () => (await store.list()).map(({ run }) => run);
  return { store, left, now: 5 * DAY };
}

async function watched(store: RunStore, request: PruneRequest, now: number) {
  const removed: string[] = [];
  const inUse: string[] = [];
  const pruned: PrunedRuns = await pruneRuns(store, request, now, {
    removed: (runs) => removed.push(...runs.map(({ run }) => run)),
    inUse: (runs) => inUse.push(...runs.map(({ run }) => run)),
  });
  return { ...pruned, removed, inUseRuns: inUse };
}

test('runs that ended long enough ago go, and those broken off stay', async () => {
  const { store, left, now } = await fourDays();
  const bytes = (await store.list()).slice(1).reduce((sum, one) => sum + one.bytes, 0);
  const pruned = await watched(store, { olderThanMs: 2 * DAY }, now);
  expect(pruned).toMatchObject({ removed: ['d3', 'd2', 'd1'], runs: 3, bytes, brokenOff: 0 });
  expect(await left()).toEqual(['d4']);
  expect(await watched(store, {}, now)).toMatchObject({ removed: [], runs: 0, brokenOff: 1 });
});

test('the given number of the newest runs stay, however old', async () => {
  const { store, left, now } = await fourDays();
  await pruneRuns(store, { keep: 3 }, now);
  expect(await left()).toEqual(['d4', 'd3', 'd2']);
});

test('only runs that ended as named go', async () => {
  const { store, left, now } = await fourDays();
  await pruneRuns(store, { endings: ['failed', 'broken-off'] }, now);
  expect(await left()).toEqual(['d3', 'd2']);
});

test('a dry run tells the same and removes nothing', async () => {
  const { store, left, now } = await fourDays();
  const dry = await watched(store, { olderThanMs: DAY, dryRun: true }, now);
  expect(await left()).toHaveLength(4);
  expect(await watched(store, { olderThanMs: DAY }, now)).toEqual(dry);
});

test('a run at work is never touched, nor is one that was taken up meanwhile', async () => {
  const { store, left, now } = await fourDays();
  const lease = await store.claim('d4', 2);
  expect(await pruneRuns(store, { endings: ['broken-off'] }, now)).toMatchObject({ runs: 0, inUse: 0 });
  const racing = { ...store, remove: async (run: string) => (await store.claim(run, 4), store.remove(run)) };
  expect(await watched(racing, { endings: ['answered'] }, now)).toMatchObject({ inUse: 2, inUseRuns: ['d3', 'd2'] });
  expect(await left()).toHaveLength(4);
  await lease.release();
});

test('a store with more runs than are looked at together is pruned to its end, and what is kept counts over all', async () => {
  const store = memoryStore();
  const MANY = 20_500;
  const name = (index: number): string => `r${String(index).padStart(6, '0')}`;
  for (let index = 0; index < MANY; index++) await write(store, name(index), wholeRun(name(index)));
  const told: number[] = [];
  const pruned = await pruneRuns(store, { keep: 10_250 }, 5 * DAY, { removed: (runs) => told.push(runs.length) });
  expect(pruned).toMatchObject({ runs: 10_250, inUse: 0 });
  expect(told).toEqual([9750, 500]);
  const left = await store.list();
  expect([left.length, left.at(-1)?.run]).toEqual([10_250, name(10_250)]);
});

test('results of tests go by their age alone', async () => {
  const store = memoryStore();
  await store.tests.put('t1', { head: '{}', body: '' });
  const later = Date.now() + 2 * DAY;
  expect((await pruneRuns(store, { olderThanMs: 3 * DAY }, later)).tests).toBe(0);
  expect((await pruneRuns(store, { keep: 0 }, later)).tests).toBe(0);
  expect((await pruneRuns(store, { olderThanMs: DAY, endings: ['failed'] }, later)).tests).toBe(0);
  expect((await pruneRuns(store, { olderThanMs: DAY, dryRun: true }, later)).tests).toBe(1);
  expect((await pruneRuns(store, { olderThanMs: DAY }, later)).tests).toBe(1);
  expect(await store.tests.list()).toEqual([]);
});
