import { expect, test } from 'vitest';
import type { Engine } from '../engine/engine.ts';
import { faultOf } from '../kernel/fault.ts';
import { RunStarter } from './run-starter.ts';
import type { ServedAgent } from './served-cadres.ts';

const DESK = { name: 'desk', agent: { name: 'desk' }, host: {} } as unknown as ServedAgent;

/** An engine whose runs end when the test says so. */
function opened(work: 'here' | 'workers' = 'here', maxRuns = 1) {
  const calls: unknown[] = [];
  const ends = new Map<string, { done(): void; fail(): void }>();
  const over: string[] = [];
  const refused = { why: undefined as Error | undefined };
  let started = 0;
  const engine = {
    async start(request: unknown, options: { readonly run?: string; readonly turn?: Promise<void> }) {
      if (refused.why !== undefined) throw refused.why;
      calls.push({ start: request, waits: options.turn !== undefined, run: options.run });
      return options.run ?? `r${++started}`;
    },
    async resume(run: string, options: { readonly turn?: Promise<void> }) {
      if (refused.why !== undefined) throw refused.why;
      const { turn, ...others } = options;
      calls.push({ resume: run, waits: turn !== undefined, ...others });
    },
    outcome: (run: string) =>
      new Promise((resolve, reject) =>
        ends.set(run, {
          done: () => resolve({ kind: 'answered', text: 'yes' }),
          fail: () => reject(new Error('taken over')),
        }),
      ),
  } as unknown as Engine;
  const limits = () => ({ maxRuns, maxWaiting: 1 });
  const starter = new RunStarter(engine, limits, { work, over: (run) => over.push(run) });
  const end = async (run: string, how: 'done' | 'fail' = 'done') => {
    ends.get(run)?.[how]();
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return { starter, calls, ends, over, refused, end };
}

const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return 'none';
  } catch (thrown) {
    return faultOf(thrown).code;
  }
};

test('a run has a turn until it is over, however it ends, and the next one comes', async () => {
  const { starter, calls, over, end } = opened();
  expect(await starter.start(DESK, { input: { text: 'one' } })).toEqual({ run: 'r1', state: 'running' });
  expect(await starter.start(DESK, { input: { text: 'two' } }, { run: 'mine' })).toEqual({
    run: 'mine',
    state: 'waiting',
  });
  expect(calls).toEqual([
    { start: { agent: 'desk', input: { text: 'one' } }, waits: false, run: undefined },
    { start: { agent: 'desk', input: { text: 'two' } }, waits: true, run: 'mine' },
  ]);
  expect([starter.atWork, starter.waiting, starter.left()]).toEqual([1, 1, ['r1', 'mine']]);
  await end('r1', 'fail');
  expect([starter.atWork, starter.waiting, starter.left(), over]).toEqual([1, 0, ['mine'], ['r1']]);
  await end('mine');
  expect([starter.atWork, starter.left(), over]).toEqual([0, [], ['r1', 'mine']]);
});

test('a run that the engine refuses gives its turn back', async () => {
  const { starter, refused } = opened();
  refused.why = new Error('no such agent');
  expect(await codeOf(starter.start(DESK, { input: { text: 'x' } }))).toBe('internal');
  expect(await codeOf(starter.resume('r9'))).toBe('internal');
  expect([starter.atWork, starter.waiting, starter.left()]).toEqual([0, 0, []]);
  refused.why = undefined;
  expect((await starter.start(DESK, { input: { text: 'x' } })).state).toBe('running');
});

test('a run is taken up with the right to take it over only where that is asked for', async () => {
  const { starter, calls } = opened('here', 3);
  await starter.resume('r7');
  await starter.resume('r8', { takeOver: true });
  await starter.resume('r9', { takeOver: false });
  expect(calls).toEqual([
    { resume: 'r7', waits: false },
    { resume: 'r8', waits: false, takeOver: true },
    { resume: 'r9', waits: false },
  ]);
});

test('it settles when the last of its runs is over, and at once where there is none', async () => {
  const { starter, end } = opened('here', 3);
  await starter.settled();
  await starter.start(DESK, { input: { text: 'one' } });
  await starter.start(DESK, { input: { text: 'two' } });
  let told = 0;
  void starter.settled().then(() => told++);
  void starter.settled().then(() => told++);
  await end('r1');
  expect(told).toBe(0);
  await end('r2');
  expect(told).toBe(2);
});

test('a server that drains starts nothing, takes nothing up, and says when to ask again', async () => {
  const { starter, calls } = opened();
  expect([starter.isDraining, starter.closesConnections]).toEqual([false, false]);
  starter.drain();
  starter.closesConnections = true;
  expect([starter.isDraining, starter.closesConnections]).toEqual([true, true]);
  for (const work of [
    () => starter.start(DESK, { input: { text: 'x' } }),
    () => starter.resume('r1'),
    async () => starter.takeTurn('new'),
  ])
    expect(await codeOf(work())).toBe('server/draining');
  expect(calls).toEqual([]);
});

test('runs that are left to workers wait for no turn here, and are none of the runs of this process', async () => {
  const { starter, ends } = opened('workers');
  for (const text of ['one', 'two', 'three'])
    expect((await starter.start(DESK, { input: { text } })).state).toBe('running');
  await starter.resume('r9');
  expect(starter.takeTurn('new').come).toBeUndefined();
  expect([starter.work, starter.atWork, starter.waiting, starter.left(), ends.size]).toEqual(['workers', 0, 0, [], 0]);
  await starter.settled();
});
