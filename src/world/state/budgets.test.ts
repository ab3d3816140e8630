// Budgets: that no cent is spent twice, and that what was held comes back.

import { expect, test } from 'vitest';
import { FaultError, fault } from '../../kernel/fault.ts';
import { Stop } from '../abort.ts';
import type { BudgetLimits, Reservation, RunBudget } from '../run-budget.ts';
import { openRunBudget } from './budgets.ts';
import { reserveInTurn } from './reserve-in-turn.ts';

const runBudget = (agent: string, budgetLimits: BudgetLimits, parent?: RunBudget): RunBudget =>
  openRunBudget({
    agent,
    budgetLimits,
    depth: parent === undefined ? 0 : parent.depth + 1,
    ...(parent && { parent }),
    spent: { tokens: 0 },
    allowUnpriced: false,
  });

function held(reserved: ReturnType<RunBudget['reserve']>): Reservation {
  if ('code' in reserved) throw new FaultError(reserved);
  return reserved;
}

test('the unused part of a reservation comes back to every budget above it', () => {
  const top = runBudget('top', { usd: 10, tokens: 1000 });
  const low = runBudget('low', { usd: 8, tokens: 800 }, runBudget('mid', {}, top));
  const call = held(low.reserve({ tokens: 700, usd: 7 }));
  expect([low.left(), top.left()]).toEqual([
    { usd: 1, tokens: 100 },
    { usd: 3, tokens: 300 },
  ]);
  call.settle({ tokens: 100, usd: 1 });
  expect([low.left(), top.left()]).toEqual([
    { usd: 7, tokens: 700 },
    { usd: 9, tokens: 900 },
  ]);
});

test('a budget pays for call after call below it, as long as they cost little in the end', () => {
  const top = runBudget('top', { tokens: 1000 });
  for (let turn = 0; turn < 9; turn++) {
    const low = runBudget(`low ${turn}`, { tokens: 1000 }, top);
    held(low.reserve({ tokens: 200 })).settle({ tokens: 100 });
  }
  expect(top.left()).toEqual({ tokens: 100 });
});

test('a reservation that is refused above holds nothing below', () => {
  const top = runBudget('top', { tokens: 100 });
  const low = runBudget('low', { tokens: 1000 }, top);
  expect(low.reserve({ tokens: 500 })).toMatchObject({ code: 'budget/exceeded', details: { agent: 'top' } });
  expect(low.left()).toEqual({ tokens: 100 });
  held(low.reserve({ tokens: 100 })).settle({ tokens: 0 });
  expect(low.left()).toEqual({ tokens: 100 });
});

test('a call that several others must end for begins when they have, in the budget above too', async () => {
  const top = runBudget('top', { tokens: 100 });
  const one = runBudget('one', { tokens: 100 }, top);
  const other = runBudget('other', { tokens: 100 }, top);
  const calls = [held(one.reserve({ tokens: 50 })), held(one.reserve({ tokens: 50 }))];
  const wish = { enough: { tokens: 80 }, least: { tokens: 10 }, within: () => ({ tokens: 80 }) };
  let began = false;
  const waiting = reserveInTurn(other, wish, new Stop()).then((reserved) => {
    began = true;
    return reserved;
  });
  calls[0]?.settle({ tokens: 10 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(began).toBe(false);
  calls[1]?.settle({ tokens: 10 });
  await new Promise((resolve) => setImmediate(resolve));
  expect(began).toBe(true);
  expect(await waiting).toMatchObject({ quote: { tokens: 80 } });
});

test('a call that gives up waiting holds nothing, and the one behind it goes on', async () => {
  const top = runBudget('top', { tokens: 100 });
  const first = held(top.reserve({ tokens: 60 }));
  const wish = (tokens: number) => ({ enough: { tokens }, least: { tokens }, within: () => ({ tokens }) });
  const stop = new Stop();
  const large = reserveInTurn(top, wish(90), stop);
  const small = reserveInTurn(top, wish(40), new Stop());
  stop.abort(new FaultError(fault('timeout', 'too late')));
  await expect(large).rejects.toThrow('too late');
  expect(await small).toMatchObject({ quote: { tokens: 40 } });
  first.settle({ tokens: 60 });
  expect(top.left()).toEqual({ tokens: 0 });
});

test('a session that a budget above refuses is not counted below', () => {
  const top = runBudget('top', { sessions: 1 });
  const low = runBudget('low', { sessions: 2 }, top);
  expect(low.admit(2)).toBeUndefined();
  expect(low.admit(2)).toMatchObject({ details: { agent: 'top', unit: 'sessions' } });
  expect(low.admit(2)).toMatchObject({ details: { agent: 'top' } });
});

test('each budget says once that it is nearly spent', () => {
  const top = runBudget('top', { tokens: 100 });
  const low = runBudget('low', { tokens: 50 }, top);
  held(low.reserve({ tokens: 30 })).settle({ tokens: 30 });
  expect(low.nearEnd(0.8)?.text).toBe('The budget of low is nearly spent: 30 of 50 tokens. Finish soon.');
  expect(low.nearEnd(0.8)).toBeUndefined();
  held(top.reserve({ tokens: 60 })).settle({ tokens: 60 });
  expect(low.nearEnd(0.8)?.text).toContain('The budget of top');
});

test('a budget in money refuses a call without a price, unless it allows them', () => {
  const top = runBudget('top', { usd: 1, tokens: 1000 });
  expect(top.reserve({ tokens: 1 })).toMatchObject({ code: 'budget/exceeded', details: { unit: 'usd', begun: false } });
  expect(top.cannotPay({ tokens: 1 })).toMatchObject({ details: { unit: 'usd' } });
  expect(top.cannotPay({ tokens: 1, usd: 0 })).toBeUndefined();
  expect(runBudget('low', { tokens: 1000 }).cannotPay({ tokens: 1 })).toBeUndefined();
  const open = openRunBudget({
    agent: 'open',
    budgetLimits: { usd: 1 },
    depth: 0,
    spent: { tokens: 0 },
    allowUnpriced: true,
  });
  expect(open.cannotPay({ tokens: 1 })).toBeUndefined();
});

test('a budget that nears its end in money and tokens alike tells of the money', () => {
  const both = runBudget('top', { usd: 10, tokens: 100 });
  held(both.reserve({ tokens: 90, usd: 9 })).settle({ tokens: 90, usd: 0 });
  expect(both.nearEnd(0.95)?.text).toBe('The budget of top is nearly spent: 90 of 100 tokens. Finish soon.');
  const alike = runBudget('top', { usd: 10, tokens: 100 });
  held(alike.reserve({ tokens: 50, usd: 5 })).settle({ tokens: 50, usd: 5 });
  expect(alike.nearEnd(1)?.text).toBe('The budget of top is nearly spent: $5.0000 of $10. Finish soon.');
});

test('a depth is counted from the agent whose budget it is', () => {
  const top = openRunBudget({
    agent: 'top',
    budgetLimits: { depth: 2 },
    depth: 3,
    spent: { tokens: 0 },
    allowUnpriced: false,
  });
  expect([top.admit(4), top.admit(5)]).toEqual([undefined, undefined]);
  expect(top.admit(6)).toMatchObject({ details: { agent: 'top', unit: 'depth', limit: 2 } });
});
