// The driver, with a world that answers what it is told to.

import { expect, test } from 'vitest';
import {
  launch,
  type ModelRequest,
  parallel,
  parallelInTurn,
  parallelUntil,
  perform,
  type Routine,
  type SettledResult,
} from '../kernel/effect.ts';
import { cancelledBy, Stop } from './abort.ts';
import { openBackground } from './background.ts';
import { drive } from './drive.ts';
import type { Op, World } from './world.ts';

const ok = (value: unknown): SettledResult => ({ ok: true, value });
const scope = { agent: 'ann', depth: 0 };
const placed = { path: '0', scope, signal: new Stop() };

interface BranchRecord {
  readonly recalled?: readonly number[];
  readonly record?: (path: string, counted: readonly number[]) => void;
  readonly branch?: (index: number) => 'begun' | 'open' | 'never';
}

/** One that keeps what was asked where, and answers as the test says. */
function worldOf(
  answer: (op: Op) => SettledResult | Promise<SettledResult> = () => ok(1),
  { recalled, record, branch = () => 'open' }: BranchRecord = {},
) {
  const asked: string[] = [];
  const world: World = {
    perform(effect, op) {
      if (effect.kind === 'parallel') {
        const unasked = (): never => expect.unreachable('it is not recorded here');
        op.record = { attempt: unasked, intent: unasked, parallel: (counted) => record?.(op.path, counted), branch };
        return ok(recalled ?? null);
      }
      asked.push(`${op.path} ${effect.kind}`);
      return answer(op);
    },
  };
  return { world, asked };
}

function* clock(): Routine<unknown> {
  const settled = yield* perform<'clock'>({ kind: 'clock' });
  return settled.ok ? settled.value : settled.fault.code;
}

function* clocks(count: number): Routine<readonly unknown[]> {
  const times: unknown[] = [];
  for (let turn = 0; turn < count; turn++) times.push(yield* clock());
  return times;
}

const rested = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the n-th request of a routine has the n-th path below it, also in branches, whichever is faster', async () => {
  const { world, asked } = worldOf(async (op) => {
    if (op.path.startsWith('0.1.0')) await rested();
    return ok(op.path);
  });
  const routine = function* (): Routine<unknown> {
    yield* clock();
    const both = yield* parallel([() => clocks(2), () => clocks(2)]);
    return [...both, yield* clock()];
  };
  expect(await drive(routine(), placed, world)).toEqual([['0.1.0.0', '0.1.0.1'], ['0.1.1.0', '0.1.1.1'], '0.2']);
  expect([...asked].sort()).toEqual(
    ['0.0', '0.1.0.0', '0.1.0.1', '0.1.1.0', '0.1.1.1', '0.2'].map((path) => `${path} clock`),
  );
});

test('all branches are settled before the first throw in source order is thrown', async () => {
  const ends: string[] = [];
  const { world } = worldOf(async (op) => {
    if (op.path === '0.0.0.0') await rested();
    ends.push(op.path);
    throw new Error(`no ${op.path}`);
  });
  await expect(drive(parallel([clock, clock]), placed, world)).rejects.toThrow('no 0.0.0.0');
  expect(ends).toEqual(['0.0.1.0', '0.0.0.0']);
});

test('the branches that counted are recorded, and the others are cancelled and bring nothing', async () => {
  const recorded: unknown[] = [];
  const signals: Op['signal'][] = [];
  const { world } = worldOf(
    (op) => {
      signals.push(op.signal);
      if (op.path !== '0.0.0.0') return ok(op.path);
      return new Promise((resolve) => op.signal.addEventListener('abort', () => resolve(ok('late'))));
    },
    { record: (path, counted) => void recorded.push([path, counted]) },
  );
  const values = await drive(
    parallelUntil([clock, clock, clock], (sofar) => sofar.filter((value) => value !== undefined).length >= 2),
    placed,
    world,
  );
  expect(values).toEqual([undefined, '0.0.1.0', '0.0.2.0']);
  expect(recorded).toEqual([['0.0', [1, 2]]]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false, false]);
});

test('the branches that counted by the record count again, whichever is first this time', async () => {
  const { world } = worldOf((op) => ok(op.signal.aborted ? 'cancelled' : op.path), {
    recalled: [1],
    record: () => expect.unreachable('it was recorded twice'),
  });
  const first = parallelUntil<unknown>([clock, clock], (sofar) => sofar[0] !== undefined);
  expect(await drive(first, placed, world)).toEqual([undefined, '0.0.1.0']);
});

const five = [clock, clock, clock, clock, clock];

test('branches that take turns begin in their order, so many at once', async () => {
  const ends: (() => void)[] = [];
  const { world, asked } = worldOf((op) => new Promise((resolve) => ends.push(() => resolve(ok(op.path)))));
  const driven = drive(
    parallelInTurn<unknown>(five, 2, () => false),
    placed,
    world,
  );
  await rested();
  expect(asked).toEqual(['0.0.0.0 clock', '0.0.1.0 clock']);
  ends[1]?.();
  await rested();
  expect(asked.at(-1)).toBe('0.0.2.0 clock');
  ends[0]?.();
  ends[2]?.();
  await rested();
  expect(asked).toHaveLength(5);
  for (const end of ends) end();
  expect(await driven).toEqual(five.map((_, index) => `0.0.${index}.0`));
});

test('once enough of them have ended, those that take turns are cancelled, and no other begins', async () => {
  const recorded: unknown[] = [];
  const { world, asked } = worldOf(
    (op) =>
      op.path === '0.0.1.0'
        ? ok('enough')
        : new Promise((resolve) => op.signal.addEventListener('abort', () => resolve(ok('late')))),
    { record: (_, counted) => void recorded.push(counted) },
  );
  const turns = parallelInTurn<unknown>(five, 2, (sofar) => sofar.includes('enough'));
  expect(await drive(turns, placed, world)).toEqual([undefined, 'enough', undefined, undefined, undefined]);
  expect(asked).toEqual(['0.0.0.0 clock', '0.0.1.0 clock']);
  expect(recorded).toEqual([[1]]);
});

test('a branch that takes its turn begins again if the record knows it, and in a replay only then', async () => {
  const known = (others: 'open' | 'never') => (index: number) => (index < 3 ? 'begun' : others);
  const resumed = worldOf((op) => ok(op.signal.aborted ? 'cancelled' : op.path), {
    recalled: [0, 2],
    branch: known('open'),
  });
  const values = await drive(
    parallelInTurn<unknown>(five, 2, () => false),
    placed,
    resumed.world,
  );
  expect(values).toEqual(['0.0.0.0', undefined, '0.0.2.0', undefined, undefined]);
  expect(resumed.asked).toHaveLength(3);
  const replayed = worldOf(undefined, { branch: known('never') });
  await drive(
    parallelInTurn<unknown>(five, 2, () => false),
    placed,
    replayed.world,
  );
  expect(replayed.asked).toHaveLength(3);
});

test('after a stop one more of those that take turns begins, and its answer says why', async () => {
  const signal = new Stop();
  const { world, asked } = worldOf((op) => {
    if (op.path === '0.0.0.0') signal.abort(cancelledBy('stop'));
    return ok(op.signal.aborted);
  });
  const turns = parallelInTurn<unknown>(five, 1, () => false);
  expect(await drive(turns, { ...placed, signal }, world)).toEqual([true, true, undefined, undefined, undefined]);
  expect(asked).toHaveLength(2);
});

test('the first throw in source order of those that take turns is thrown, and no other begins', async () => {
  const { world, asked } = worldOf(async (op) => {
    if (op.path === '0.0.0.0') await rested();
    throw new Error(`no ${op.path}`);
  });
  await expect(
    drive(
      parallelInTurn<unknown>(five, 2, () => false),
      placed,
      world,
    ),
  ).rejects.toThrow('no 0.0.0.0');
  expect(asked).toHaveLength(2);
});

test('a parent that is stopped stops every branch', async () => {
  const signal = new Stop();
  const { world } = worldOf(
    (op) => new Promise((resolve) => op.signal.addEventListener('abort', () => resolve(ok(op.signal.aborted)))),
  );
  const driven = drive(
    parallelUntil<unknown>([clock, clock], () => false),
    { ...placed, signal },
    world,
  );
  await rested();
  signal.abort(cancelledBy('enough'));
  expect(await driven).toEqual([true, true]);
});

test('a launched run runs under the path of the op, and the routine goes on before it ends', async () => {
  let end = (): void => {};
  const { world, asked } = worldOf((op) =>
    op.path === '0.0.1.0' ? new Promise((resolve) => (end = () => resolve(ok(1)))) : ok(1),
  );
  const own = new Stop();
  const adopted = openBackground({ fail: (thrown) => expect.unreachable(String(thrown)) }, own);
  const background = function* (): Routine<void> {
    yield* clock();
  };
  const routine = function* (): Routine<unknown> {
    yield* launch<'clock'>({ kind: 'clock' }, () => [undefined, background]);
    return yield* clock();
  };
  expect(await drive(routine(), { ...placed, background: adopted }, world)).toBe(1);
  expect(asked).toEqual(['0.0 clock', '0.0.1.0 clock', '0.1 clock']);
  let isEmpty = false;
  const emptied = adopted.settled()?.then(() => (isEmpty = true));
  await rested();
  expect(isEmpty).toBe(false);
  end();
  await emptied;
});

test('the facts that a session leaves beside its ops are asked for at its reply, and take no number (DRIVE-5)', async () => {
  function* leaving(): Routine<void> {
    yield { kind: 'model', request: {} as ModelRequest };
    yield* clock();
    yield { kind: 'last-results', messages: [] };
    yield* clock();
  }
  const { world, asked } = worldOf();
  await drive(leaving(), placed, world);
  expect(asked).toEqual(['0.0 model', '0.1 clock', '0.0 last-results', '0.2 clock']);
});
