import { expect, test } from 'vitest';
import type { Watcher } from '../../run/bus.ts';
import { storedRun } from './stored-run.ts';

/** A run whose first event and whose end come when the test says so. */
function waiting({ isAtWork = true, isRecorded = false } = {}) {
  const watchers = new Set<Watcher>();
  let fail = (): void => {};
  const outcome = new Promise<never>((_, reject) => {
    fail = () => reject(new Error('another process took it'));
  });
  const engine = {
    isAtWork: () => isAtWork,
    outcome: () => outcome,
    watch(_run: string, watcher: Watcher) {
      watchers.add(watcher);
      return () => watchers.delete(watcher);
    },
  };
  let isReadable = false;
  const context = { engine, activity: { isRecorded: () => isRecorded } } as unknown as Parameters<typeof storedRun>[1];
  const over = storedRun('r1', context).then(() => void (isReadable = true));
  const settled = () => new Promise<void>((resolve) => void setImmediate(resolve));
  return { watchers, fail: () => fail(), over, settled, isReadable: () => isReadable };
}

test('a run can be read at once where it is not at work here, or its first event is recorded', async () => {
  await waiting({ isAtWork: false }).over;
  await waiting({ isRecorded: true }).over;
});

test('a run can be read when its first event comes, and is not watched any more', async () => {
  const { watchers, settled, isReadable } = waiting();
  await settled();
  expect([isReadable(), watchers.size]).toEqual([false, 1]);
  for (const watcher of watchers) watcher.event?.({ type: 'run-resume' } as never);
  await settled();
  expect([isReadable(), watchers.size]).toEqual([true, 0]);
});

test('nobody waits for a run that is over before its first event, however it ended', async () => {
  const { watchers, fail, settled, isReadable } = waiting();
  fail();
  await settled();
  expect([isReadable(), watchers.size]).toEqual([true, 0]);
});
