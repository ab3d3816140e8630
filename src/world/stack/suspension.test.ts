import { expect, test } from 'vitest';
import type { Effect, SettledResult } from '../../kernel/effect.ts';
import type { Op, World } from '../world.ts';
import { Suspension } from './suspension.ts';

const op = { path: '0.1' } as Op;
const below = { path: '0.1.0' } as Op;
const tool = { kind: 'tool' } as Effect;
const ended: SettledResult = { ok: true, value: 'done' };
const model = { kind: 'model' } as Effect;
const approval = { kind: 'approval' } as Effect;

function openWorld() {
  const asked: string[] = [];
  const settle: ((settled: SettledResult) => void)[] = [];
  const world: World = {
    perform(effect) {
      asked.push(effect.kind);
      return new Promise((resolve) => void settle.push(resolve));
    },
  };
  return { world, asked, settle };
}

test('a paused run lets the calls under way end, and begins nothing', async () => {
  const { world, asked, settle } = openWorld();
  const suspension = new Suspension();
  const outer = suspension.around(world);
  const calls = [outer.perform(model, op), outer.perform(model, op)];
  let rested = false;
  const resting = suspension.rest().then(() => (rested = true));
  void outer.perform(model, op);
  expect(asked).toEqual(['model', 'model']);
  settle[0]?.(ended);
  expect(await calls[0]).toEqual(ended);
  expect(rested).toBe(false);
  settle[1]?.(ended);
  await resting;
  expect(await calls[1]).toEqual(ended);
});

test('a call that waits for a person does not keep a run from being let go', async () => {
  const { world } = openWorld();
  const suspension = new Suspension();
  void suspension.around(world).perform(approval, op);
  await suspension.rest();
});

test('a call of a tool that asks a person does not keep it either, until it has the answer', async () => {
  const { world, settle } = openWorld();
  const suspension = new Suspension();
  const outer = suspension.around(world);
  const call = outer.perform(tool, op);
  const asked = outer.perform(approval, below);
  await suspension.rest();
  settle[1]?.(ended);
  await asked;
  let isAtRest = false;
  const resting = suspension.rest().then(() => (isAtRest = true));
  await Promise.resolve();
  expect(isAtRest).toBe(false);
  settle[0]?.(ended);
  await call;
  await resting;
});
