// A clock that is set back, set forward, or stands still: a run is the same, and no duration is negative.

import { afterAll, expect, test } from 'vitest';
import { replay } from '../../src/engine/history/replay.ts';
import { readAll } from '../../src/engine/pinned.ts';
import { okResult } from '../../src/kernel/message.ts';
import { services } from '../../src/run/services.ts';
import type { Tool } from '../../src/tools/tool.ts';
import { ledger } from '../../src/views/costs/ledger.ts';
import { type OpNode, opTree } from '../../src/views/tree/op-tree.ts';
import { bench, brokenOff, cadre, call, finish, type Model } from '../support/cadre.ts';
import { dice, tell } from './support/figures.ts';
import { modelCalls, shapeOf } from './support/victim.ts';

const figures = { clocks: 0, resumed: 0, different: 0 };

afterAll(() =>
  tell('Clocks that jump', [
    ['runs on a clock that jumps by up to ten days either way', figures.clocks],
    ['of these, broken off and resumed on another such clock', figures.resumed],
    ['ended differently', figures.different],
  ]),
);

const note: Tool = {
  spec: { name: 'note', description: 'Notes.', parameters: { type: 'object' } },
  repeat: 'safe',
  execute: async () => okResult('noted'),
};
const pair = cadre({ name: 'lead', agents: ['scout'], tools: ['note'] }, { name: 'scout', tools: ['note'] });
const model: Model = ({ agent, turn }) => {
  if (turn === 1) return call('note', {});
  if (agent === 'lead' && turn === 2) return call('agent__scout', { input: 'look', reason: 'r' });
  return `${agent} is done`;
};
const ask = { agent: 'lead', input: { text: 'go' } };

const TEN_DAYS = 864_000_000;

function jumping(seed: number): () => number {
  const roll = dice(seed);
  let time = Date.UTC(2026, 0, 15);
  return () => (time += roll(3) === 0 ? 0 : roll(2 * TEN_DAYS) - TEN_DAYS);
}

const nodes = (node: OpNode): readonly OpNode[] => [node, ...node.children.flatMap(nodes)];

test('a run on a clock that jumps ends as on one that does not, also after a crash', async () => {
  const steady = await finish(bench(pair, model, { tools: [note] }), ask);
  for (let seed = 0; seed < 20; seed++) {
    const run = await finish(bench(pair, model, { tools: [note], now: jumping(seed) }), ask);
    expect(run.outcome).toEqual(steady.outcome);
    expect(run.events.map(({ seq }) => seq)).toEqual(run.events.map((_, index) => index));
    expect(nodes(opTree(run.events)).every(({ ms = 0 }) => ms >= 0)).toBe(true);
    expect(ledger(run.events).lines.every(({ ms = 0 }) => ms >= 0)).toBe(true);
    expect(await replay(run.events, pair, services)).toMatchObject({ kind: 'identical' });
    figures.clocks++;

    const store = await brokenOff(run.events, 1 + (seed % (run.events.length - 1)), run.run);
    const again = bench(pair, model, { store, tools: [note], now: jumping(seed + 1000) });
    const outcome = await (await again.engine.resume(run.run)).outcome();
    const events = await readAll(run.run, store);
    figures.resumed++;
    if (JSON.stringify(outcome) !== JSON.stringify(steady.outcome)) figures.different++;
    expect(outcome).toEqual(steady.outcome);
    expect(shapeOf(events)).toEqual(shapeOf(steady.events));
    expect(modelCalls(events).repeated).toBe(0);
  }
});

test('a deadline is not lengthened by a clock that is set back', async () => {
  let time = Date.UTC(2026, 0, 15);
  const timed = cadre({ name: 'slow', timeoutMs: 50 });
  const never: Model = (_request, signal) =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true }));
  const first = bench(timed, never, { now: () => time });
  const { events, run } = await finish(first, { agent: 'slow', input: { text: 'go' } });
  expect(events.at(-1)).toMatchObject({ type: 'run-end', outcome: { kind: 'timed-out' } });

  time -= TEN_DAYS;
  const again = bench(timed, never, { store: await brokenOff(events, 2, run), now: () => time });
  expect(await (await again.engine.resume(run)).outcome()).toMatchObject({ kind: 'timed-out' });
});
