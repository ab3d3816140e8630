// The bounds of a run, with an inner world that the test answers.

import { expect, test } from 'vitest';
import { answered } from '../../../test/support/by-hand.ts';
import type { Effect, SettledResult, Trigger } from '../../kernel/effect.ts';
import { type FaultError, fault } from '../../kernel/fault.ts';
import { limitReached } from '../../kernel/limit-reached.ts';
import { cancelledBy, Stop } from '../abort.ts';
import { openOp } from '../drive.ts';
import type { LiveEvent, Op, Scope, World, WorldRequest } from '../world.ts';
import { type AgentBounds, boundedWorld } from './bounded.ts';

const ok = (value: unknown): SettledResult => ({ ok: true, value });
const root: Scope = { agent: 'boss', depth: 0 };
const run = (agent: string, trigger: Trigger = { kind: 'call' }): Effect => ({
  kind: 'run',
  agent,
  input: { text: '' },
  trigger,
});
const model = { kind: 'model', request: {} } as unknown as Effect;
const tool: Effect = { kind: 'tool', agent: 'boss', call: { id: 'c', name: 'look', arguments: {} } };

interface Given {
  readonly of?: Readonly<Record<string, AgentBounds>>;
  readonly maxDepth?: number;
  readonly concurrency?: number;
  readonly spent?: number;
  readonly answer?: (op: Op, effect: WorldRequest) => SettledResult | Promise<SettledResult>;
}

function open({ of = {}, maxDepth = 9, concurrency = 9, spent = 0, answer = () => ok(answered('done')) }: Given = {}) {
  const began: Op[] = [];
  const shown: LiveEvent[] = [];
  const inner: World = {
    perform: (effect, op) => (began.push(op), answer(op, effect)),
  };
  const bounds = {
    maxDepth,
    concurrency,
    of: (agent: string) => of[agent] ?? {},
    spentBelow: () => ({ tokens: spent }),
    now: () => 1000,
    workTime: (moment: number) => moment,
  };
  const world = boundedWorld(inner, bounds, { get: () => undefined });
  const perform = (
    effect: Effect,
    scope: Scope = root,
    path = '0.0',
    signal = new Stop(),
    recorded: Partial<Op> = {},
  ) => {
    const op = openOp(path, { path, scope, signal, show: (event) => void shown.push(event) }, world);
    return world.perform(effect, { ...op, ...recorded });
  };
  return { perform, began, shown };
}

test('a run that would be too deep is refused as an outcome, and a stage or destination is no deeper', async () => {
  const { perform, began } = open({ maxDepth: 1 });
  const deep = { agent: 'boss', depth: 1 };
  expect(await perform(run('ann'), deep)).toMatchObject({ value: { agent: 'ann', fault: { code: 'limit/depth' } } });
  expect(began).toHaveLength(0);
  await perform(run('ann', { kind: 'next', chainTrigger: 'next' }), deep);
  await perform(run('ann', { kind: 'router' }), deep);
  expect(began).toHaveLength(2);
});

test('everything below an agent with a budget draws on it, and it begins with what the record says was spent', async () => {
  const { perform, began } = open({
    of: { ann: { budget: { tokens: 100 } }, bob: { budget: { tokens: 90 } } },
    spent: 30,
  });
  await perform(run('ann'));
  const outer = began[0]?.scope ?? root;
  expect(outer.runBudget?.left()).toEqual({ tokens: 70 });
  await perform(run('bob'), outer);
  const inner = began[1]?.scope.runBudget;
  const reserved = inner?.reserve({ tokens: 50 });
  expect([inner?.left(), outer.runBudget?.left()]).toEqual([{ tokens: 10 }, { tokens: 20 }]);
  if (reserved !== undefined && 'settle' in reserved) reserved.settle({ tokens: 5 });
  expect([inner?.left(), outer.runBudget?.left()]).toEqual([{ tokens: 55 }, { tokens: 65 }]);
});

test('a budget of sessions refuses the one too many, but not one that the record let begin', async () => {
  const { perform, began } = open({ of: { ann: { budget: { sessions: 1 } } } });
  await perform(run('ann'));
  const scope = began[0]?.scope ?? root;
  await perform(run('bob'), scope);
  expect(await perform(run('bob'), scope)).toMatchObject({ value: { kind: 'over-budget' } });
  const overBudget = { value: { kind: 'over-budget' } };
  expect(await perform(run('bob'), scope, '0.1', new Stop(), { since: 900 })).toMatchObject(overBudget);
  await perform(run('bob'), scope, '0.1', new Stop(), { since: 900, hasBegun: true });
  expect(began).toHaveLength(3);
});

test('a run whose time has passed by the record is stopped at once, with what its file or its budget says', async () => {
  const reasons: unknown[] = [];
  const answer = (op: Op): SettledResult => {
    const why = op.signal.aborted ? (op.signal.reason as FaultError).fault : undefined;
    reasons.push(why && [why.message, limitReached(why)]);
    return ok(answered('done'));
  };
  const of = { ann: { timeoutMs: 100 }, bob: { timeoutMs: 100, budget: { timeMs: 50 } }, cid: { timeoutMs: 1000 } };
  const { perform } = open({ of, answer });
  for (const agent of ['ann', 'bob', 'cid']) await perform(run(agent), root, '0.0', new Stop(), { since: 800 });
  expect(reasons).toEqual([
    ['ann did not finish within 100 ms.', { unit: 'ms', limit: 100, spent: 100 }],
    ['The budget of bob is reached: 50 ms have passed.', { unit: 'ms', limit: 50, spent: 50 }],
    undefined,
  ]);
});

test('nothing is begun under a signal that is aborted', async () => {
  const { perform, began } = open();
  const signal = new Stop();
  signal.abort(cancelledBy('enough'));
  for (const effect of [model, tool]) {
    const settled = await perform(effect, root, '0.0', signal);
    expect(settled).toEqual({ ok: false, fault: fault('cancelled', 'enough', { begun: false }) });
  }
  expect(began).toEqual([]);
});

test('as many model calls as there are slots are under way, and each that ends, also by a throw, lets the next begin', async () => {
  const open1: { resolve(value: SettledResult): void; reject(thrown: Error): void }[] = [];
  const { perform, began, shown } = open({
    concurrency: 1,
    answer: () => new Promise((resolve, reject) => void open1.push({ resolve, reject })),
  });
  const [first, second, third] = ['0.0', '0.1', '0.2'].map((path) => perform(model, root, path));
  expect(began.map(({ path }) => path)).toEqual(['0.0']);
  expect(shown).toEqual(['0.1', '0.2'].map((path) => ({ type: 'waiting', path, for: 'slot', names: [] })));
  open1[0]?.reject(new Error('a defect'));
  await expect(first).rejects.toThrow('a defect');
  await new Promise((resolve) => setImmediate(resolve));
  expect(began.map(({ path }) => path)).toEqual(['0.0', '0.1']);
  open1[1]?.resolve(ok(2));
  expect(await second).toEqual(ok(2));
  await new Promise((resolve) => setImmediate(resolve));
  open1[2]?.resolve(ok(3));
  expect(await third).toEqual(ok(3));
});

test('a call that is stopped while it waits for a slot is not begun, and the slot goes to the next', async () => {
  let end = (): void => {};
  const { perform, began } = open({
    concurrency: 1,
    answer: (op) => (op.path === '0.0' ? new Promise((resolve) => (end = () => resolve(ok(1)))) : ok(op.path)),
  });
  const first = perform(model, root, '0.0');
  const signal = new Stop();
  const second = perform(model, root, '0.1', signal);
  const third = perform(model, root, '0.2');
  signal.abort(cancelledBy('enough'));
  expect(await second).toMatchObject({ fault: { code: 'cancelled', details: { begun: false } } });
  end();
  expect(await Promise.all([first, third])).toEqual([ok(1), ok('0.2')]);
  expect(began.map(({ path }) => path)).toEqual(['0.0', '0.2']);
});
