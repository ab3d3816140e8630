import { expect, test } from 'vitest';
import { FaultError, fault } from '../../kernel/fault.ts';
import type { Watcher } from '../../run/bus.ts';
import type { Caller } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import type { StartedRun } from '../protocol.ts';
import { startedOnce } from './idempotency-key.ts';

test('a request with the same key waits until the run of the first one can be read, and begins no second one', async () => {
  const watchers = new Set<Watcher>();
  let isStored = false;
  const keys = new Map<string, string>();
  const context = {
    now: () => 0,
    beginning: new Map<string, Promise<StartedRun>>(),
    activity: { isRecorded: () => isStored },
    engine: {
      isAtWork: () => true,
      outcome: () => new Promise(() => {}),
      watch(_run: string, watcher: Watcher) {
        watchers.add(watcher);
        return () => watchers.delete(watcher);
      },
    },
    store: {
      putIfAbsent: async (key: string, value: string) => keys.get(key) ?? (keys.set(key, value), value),
      async summary() {
        if (!isStored) throw new FaultError(fault('run/unknown', 'There is no such run.'));
        return { state: 'running' };
      },
    },
  } as unknown as ServerContext;
  const asked = { key: 'once', caller: { name: 'ada' } as Caller, asked: { input: 'x' } };
  let begun = 0;
  const begin = async (run: string): Promise<StartedRun> => {
    begun++;
    return { run, state: 'running' };
  };

  const first = await startedOnce(asked, context, begin);
  let second: StartedRun | undefined;
  const waiting = startedOnce(asked, context, begin).then((one) => (second = one));
  for (let turn = 0; turn < 20; turn++) await new Promise(setImmediate);
  expect([begun, second]).toEqual([1, undefined]);

  isStored = true;
  for (const watcher of watchers) watcher.event?.(undefined as never);
  await waiting;
  expect(second).toEqual(first);
  expect((await startedOnce(asked, context, begin)).run).toBe(first.run); // by the store, from now on
  expect(begun).toBe(1);
  await expect.poll(() => context.beginning.size).toBe(0);
});
