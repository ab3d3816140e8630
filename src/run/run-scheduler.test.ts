import { setImmediate as loopTurns } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { soon } from './run-scheduler.ts';

const begun = (): Promise<void> => new Promise(soon);

test('the code that started a run finishes its turn before the run begins', async () => {
  await begun(); // so that the next one begins within this turn of the loop
  const order: string[] = [];
  const start = async () => {
    await Promise.resolve();
    soon(() => order.push('run'));
    return 'handle';
  };
  const outer = async () => start();
  order.push(await outer());
  expect(order).toEqual(['handle']);
  await loopTurns();
  expect(order).toEqual(['handle', 'run']);
});

test('runs that are started together begin in order, each after what the one before does at once', async () => {
  const order: string[] = [];
  const run = async (name: string) => {
    await begun();
    order.push(`${name} begins`);
    for (let step = 0; step < 20; step++) await Promise.resolve();
    order.push(`${name} ends`);
  };
  await Promise.all(['a', 'b', 'c'].map(run));
  expect(order).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
});

test('runs that follow each other let the event loop turn', async () => {
  let turned = false;
  setImmediate(() => {
    turned = true;
  });
  const from = performance.now();
  while (performance.now() - from < 50) {
    await begun();
    if (turned) return;
  }
  expect(turned).toBe(true);
});

test('a few of very many runs that are started together begin in each turn of the event loop', async () => {
  const MANY = 1000;
  let begins = 0;
  const all = Promise.all(Array.from({ length: MANY }, () => begun().then(() => begins++)));
  let most = 0;
  for (let before = 0; begins < MANY; before = begins) {
    await loopTurns();
    most = Math.max(most, begins - before);
  }
  await all;
  expect(most).toBeLessThan(100);
});
