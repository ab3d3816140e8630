// Budgets: reserved before, settled after, never passed, whatever runs at the same time.

import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { budgeted } from '../src/engine/budgeted.ts';
import { replay } from '../src/engine/replay.ts';
import { services } from '../src/engine/services.ts';
import type { ModelEvent, ModelProvider, ProviderRequest } from '../src/models/provider.ts';
import { openPurse, type Purse } from '../src/world/purse.ts';
import { tell } from './crash/support/figures.ts';
import { bench, brokenOff, cadre, call, finish } from './support/cadre.ts';

const purse = (usd: number, parent?: Purse) =>
  openPurse({
    agent: 'a',
    allowance: { usd },
    depth: 0,
    spent: { tokens: 0 },
    allowUnpriced: false,
    ...(parent && { parent }),
  });

const measured = { calls: 0, overshoot: 0 };

afterAll(() =>
  tell('Budgets', [
    ['calls that reserved from two nested budgets, a thousand at a time', measured.calls],
    ['budget overshoot, in USD', measured.overshoot],
  ]),
);

test('a thousand calls at once never pass the budget, in any order of ends', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          quote: fc.integer({ min: 1, max: 100 }),
          share: fc.double({ min: 0, max: 1, noNaN: true }),
          inner: fc.boolean(),
        }),
        { minLength: 1000, maxLength: 1000 },
      ),
      fc.integer({ min: 0, max: 20_000 }),
      fc.infiniteStream(fc.nat(1000)),
      (calls, cents, order) => {
        const outer = purse(cents / 100);
        const inner = purse(cents / 200, outer);
        const open: { settle(): void }[] = [];
        let spent = 0;
        let spentInner = 0;
        for (const one of calls) {
          const usd = one.quote / 100;
          const reserved = (one.inner ? inner : outer).reserve({ tokens: 1, usd });
          measured.calls++;
          if ('code' in reserved) continue;
          open.push({
            settle() {
              const cost = usd * one.share;
              spent += cost;
              if (one.inner) spentInner += cost;
              reserved.settle({ tokens: 1, usd: cost });
            },
          });
          if (open.length > 20) open.splice((order.next().value ?? 0) % open.length, 1)[0]?.settle();
          const over = Math.max(spent - cents / 100, spentInner - cents / 200);
          if (over > 1e-6) measured.overshoot = Math.max(measured.overshoot, over);
          expect(spent).toBeLessThanOrEqual(cents / 100 + 1e-6);
          expect(spentInner).toBeLessThanOrEqual(cents / 200 + 1e-6);
        }
        for (const one of open) one.settle();
        expect(spent).toBeLessThanOrEqual(cents / 100 + 1e-6);
      },
    ),
    { numRuns: 50 },
  );
});

const request = (text: string): ProviderRequest => ({
  session: '0',
  agent: 'a',
  turn: 1,
  model: 'm',
  settings: {},
  system: '',
  messages: [{ role: 'user', text }],
  tools: [],
  choice: 'auto',
  output: { format: 'markdown' },
});

/** A provider that uses all the output it is allowed. */
const greedy: ModelProvider = {
  id: 'greedy',
  async *stream({ settings }) {
    const usage = { input: 10, output: settings.maxOutputTokens ?? 100_000 };
    yield { type: 'reply-end', message: { role: 'assistant', text: 'x', calls: [] }, finish: 'stop', usage };
  },
};

const dear = {
  name: 'p/m',
  provider: greedy,
  model: 'm',
  cost: (usage: { input: number; output: number }) => (usage.input + usage.output) / 1000,
};

async function last(events: AsyncIterable<ModelEvent>): Promise<ModelEvent | undefined> {
  let end: ModelEvent | undefined;
  for await (const event of events) end = event;
  return end;
}

test('a reply is held to what is left, and a call that nothing is left for is not made', async () => {
  const mine = purse(0.5);
  const model = budgeted(dear, mine, () => {});
  const options = { signal: new AbortController().signal };
  expect(await last(model.provider.stream(request('hello'), options))).toMatchObject({ type: 'reply-end' });
  expect(mine.left().usd).toBeGreaterThanOrEqual(0);
  expect(await last(model.provider.stream(request('hello'), options))).toMatchObject({
    type: 'reply-fault',
    fault: { code: 'budget/exceeded' },
  });
});

test('a model without a price does not run under a usd budget unless told so', async () => {
  const { cost: _, ...unpriced } = dear;
  const model = budgeted(unpriced, purse(1), () => {});
  expect(await last(model.provider.stream(request('hello'), { signal: new AbortController().signal }))).toMatchObject({
    fault: { code: 'budget/exceeded', message: expect.stringContaining('allowUnpriced') },
  });
});

test('a budget of sessions stops the child that is one too many, and replay agrees', async () => {
  const of = cadre({ name: 'boss', agents: ['kid'], budget: { sessions: 3 } }, { name: 'kid' });
  const model = (asked: { agent: string; turn: number }) =>
    asked.agent === 'kid'
      ? 'done'
      : asked.turn === 1
        ? { calls: Array.from({ length: 5 }, () => ({ name: 'agent__kid', args: { input: 'x', reason: 'y' } })) }
        : 'finished';
  const b = bench(of, model);
  const whole = await finish(b, { agent: 'boss', input: { text: 'go' } });
  expect(b.calls).toHaveLength(2 + 3);
  expect(await replay(whole.events, of, services)).toMatchObject({ kind: 'identical' });
  for (let count = 1; count < whole.events.length; count++) {
    const again = bench(of, model, { store: await brokenOff(whole.events, count, whole.run) });
    expect(await (await again.engine.resume(whole.run)).outcome()).toEqual(whole.outcome);
  }
});

test('a budget of depth refuses whoever would be deeper', async () => {
  const of = cadre({ name: 'a', agents: ['b'], budget: { depth: 1 } }, { name: 'b', agents: ['c'] }, { name: 'c' });
  let refused = '';
  const b = bench(of, (asked) => {
    const end = asked.messages.at(-1);
    if (asked.agent === 'b' && end?.role === 'tool') refused = end.result.text;
    if (asked.turn > 1) return 'ok';
    return asked.agent === 'a'
      ? call('agent__b', { input: 'x', reason: 'y' })
      : call('agent__c', { input: 'x', reason: 'y' });
  });
  await finish(b, { agent: 'a', input: { text: 'go' } });
  expect(refused).toMatch(/outcome: over-budget[^]*The budget of a is reached: 1 depth/);
});

test('a budget of time ends the run as over-budget', async () => {
  const of = cadre({ name: 'slow', budget: { timeMs: 20 } });
  const b = bench(
    of,
    (_, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('late'), { once: true })),
  );
  const { outcome } = await finish(b, { agent: 'slow', input: { text: 'go' } });
  expect(outcome).toMatchObject({ kind: 'over-budget', fault: { code: 'budget/exceeded', stage: 'slow' } });
});
