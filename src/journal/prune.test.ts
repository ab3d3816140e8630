import { expect, test } from 'vitest';
import type { RunEvent } from './event.ts';
import { prune } from './prune.ts';
import { runEnd, runStart, wholeRun, write } from './store.conformance.ts';
import { memoryStore } from './stores/memory.ts';

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

test('runs that ended long enough ago go, and those broken off stay', async () => {
  const { store, left, now } = await fourDays();
  const { runs, brokenOff } = await prune(store, { olderThanMs: 2 * DAY }, now);
  expect(runs.map(({ run }) => run)).toEqual(['d3', 'd2', 'd1']);
  expect(brokenOff).toBe(0);
  expect(await left()).toEqual(['d4']);
  expect(await prune(store, {}, now)).toMatchObject({ runs: [], brokenOff: 1 });
});

test('the given number of the newest runs stay, however old', async () => {
  const { store, left, now } = await fourDays();
  await prune(store, { keep: 3 }, now);
  expect(await left()).toEqual(['d4', 'd3', 'd2']);
});

test('only runs that ended as named go', async () => {
  const { store, left, now } = await fourDays();
  await prune(store, { endings: ['failed', 'broken-off'] }, now);
  expect(await left()).toEqual(['d3', 'd2']);
});

test('a dry run tells the same and removes nothing', async () => {
  const { store, left, now } = await fourDays();
  const dry = await prune(store, { olderThanMs: DAY, dryRun: true }, now);
  expect(await left()).toHaveLength(4);
  expect((await prune(store, { olderThanMs: DAY }, now)).runs).toEqual(dry.runs);
});

test('a run at work is never touched, nor is one that was taken up meanwhile', async () => {
  const { store, left, now } = await fourDays();
  const lease = await store.claim('d4', 2);
  expect(await prune(store, { endings: ['broken-off'] }, now)).toMatchObject({ runs: [], inUse: [] });
  const racing = { ...store, remove: async (run: string) => (await store.claim(run, 4), store.remove(run)) };
  expect((await prune(racing, { endings: ['answered'] }, now)).inUse.map(({ run }) => run)).toEqual(['d3', 'd2']);
  expect(await left()).toHaveLength(4);
  await lease.release();
});
