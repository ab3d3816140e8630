import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunSummary } from '../journal/store.ts';
import { whenBrokenOff } from './broken-off.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

type State = Partial<Pick<RunSummary, 'state' | 'queued'>> | Error;

/** The notices while the run is seen in these states, one a second. */
async function toldBy(...states: readonly State[]): Promise<readonly boolean[]> {
  const told: boolean[] = [];
  let looks = 0;
  const look = async (): Promise<RunSummary> => {
    const state = states[looks++];
    if (state instanceof Error) throw state;
    return state as RunSummary;
  };
  const stop = whenBrokenOff(look, (isBrokenOff) => told.push(isBrokenOff));
  await vi.advanceTimersByTimeAsync(states.length * 1000);
  stop();
  return told;
}

const broken = { state: 'broken-off' } as const;

test('a run that is seen twice without a process is broken off, which is told once', async () => {
  expect(await toldBy({ state: 'running' }, broken, broken, broken)).toEqual([true]);
});

test('a run that is just being started, or waits for a worker, is not', async () => {
  expect(await toldBy(broken, { state: 'running' }, broken, { state: 'running' })).toEqual([]);
  expect(await toldBy({ ...broken, queued: true }, { ...broken, queued: true }, { ...broken, queued: true })).toEqual(
    [],
  );
});

test('a state that cannot be read ends the looking', async () => {
  expect(await toldBy(new Error('gone'), broken, broken)).toEqual([false]);
});
