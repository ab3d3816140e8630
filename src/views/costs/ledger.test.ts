import { expect, test } from 'vitest';
import { cheap, journalByHand, overloaded } from '../../../test/support/events.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome } from '../../kernel/outcome.ts';
import { ledger } from './ledger.ts';

const statuses = (book: ReturnType<typeof journalByHand>, live = false) =>
  ledger(book.events, { live }).lines.map(({ path, model, status }) => `${path} ${model} ${status}`);

test('a call is one line with who, when, what it used and what it cost', () => {
  const book = journalByHand().ask('0.0').reply('0.0', 'hello').over();
  expect(ledger(book.events).lines).toEqual([
    {
      path: '0.0',
      session: '0',
      agent: 'lead',
      turn: 1,
      model: 'acme/small',
      trigger: 'start',
      status: 'ok',
      usage: { input: 100, output: 20 },
      usd: 0.5,
      startedAt: 1010,
      ms: 10,
    },
  ]);
});

test('each attempt that failed is a line of its own, with its cost and the model it was made with', () => {
  const spent = { model: 'acme/small', usage: { input: 100, output: 3 }, usd: 0.1 };
  const cut = fault('model/cut-off', 'cut');
  const book = journalByHand()
    .ask('0.0')
    .attempt('0.0', 1, { kind: 'retry', delayMs: 2 }, spent, cut)
    .attempt('0.0', 2, { kind: 'failover', to: 'acme/large' })
    .reply('0.0', 'hello', [], { ...cheap, model: 'acme/large' })
    .over();
  expect(statuses(book)).toEqual(['0.0 acme/small failed', '0.0 acme/small failed', '0.0 acme/large ok']);
  const { lines, totals } = ledger(book.events);
  expect(lines[0]).toMatchObject({ fault: 'model/cut-off', usd: 0.1, startedAt: 1015, ms: 5 });
  expect(totals).toEqual({
    usd: 0.6,
    unpriced: 0,
    calls: 3,
    input: 200,
    output: 23,
    cacheRead: 0,
    cacheWrite: 0,
    reasoning: 0,
  });
});

test('an op that gave up is not counted again at its end', () => {
  const book = journalByHand()
    .ask('0.0')
    .attempt('0.0', 1, { kind: 'retry', delayMs: 2 })
    .attempt('0.0', 2, { kind: 'give-up' })
    .fails('0.0', 'model', fault('model/server', 'acme/small: 503, twice'))
    .over(brokenOutcome(overloaded));
  expect(statuses(book)).toEqual(['0.0 acme/small failed', '0.0 acme/small failed']);
});

test('a call cut off by a cancel is a line though no attempt was recorded, and its price is unknown', () => {
  const why = fault('cancelled', 'enough');
  const book = journalByHand().ask('0.0').fails('0.0', 'model', why).over(brokenOutcome(why));
  expect(statuses(book)).toEqual(['0.0 acme/small failed']);
  expect(ledger(book.events).totals).toMatchObject({ calls: 1, unpriced: 1 });
  expect(ledger(book.events).totals).not.toHaveProperty('usd');
});

test('a call under way that a budget of time ended is a line', () => {
  const why = fault('budget/exceeded', '50 ms have passed', { agent: 'lead', unit: 'ms', limit: 50 });
  const { lines } = ledger(journalByHand().ask('0.0').fails('0.0', 'model', why).events);
  expect(lines).toMatchObject([{ status: 'failed', fault: 'budget/exceeded' }]);
});

test('a model op that a budget refused was never a call', () => {
  const why = fault('budget/exceeded', 'no money', { begun: false });
  const book = journalByHand().ask('0.0').fails('0.0', 'model', why).over(brokenOutcome(why));
  expect(ledger(book.events)).toMatchObject({ lines: [], totals: { calls: 0, usd: 0 } });
});

test('a call that was out when the process died stays in doubt, and the call made again is another line', () => {
  const book = journalByHand().ask('0.0').resume().ask('0.0').reply('0.0', 'hello').over();
  expect(statuses(book)).toEqual(['0.0 acme/small in-doubt', '0.0 acme/small ok']);
  expect(ledger(book.events).totals).toMatchObject({ calls: 2, unpriced: 1, usd: 0.5 });
});

test('a process that died after giving up, before the op ended, leaves nothing in doubt', () => {
  const book = journalByHand().ask('0.0').attempt('0.0', 1, { kind: 'give-up' }).resume();
  expect(statuses(book)).toEqual(['0.0 acme/small failed']);
});

test('a call that is out now is no line yet while its run is live, and in doubt when it is not', () => {
  const book = journalByHand().ask('0.0');
  expect(statuses(book, true)).toEqual([]);
  expect(statuses(book)).toEqual(['0.0 acme/small in-doubt']);
  expect(ledger(book.events).lines[0]).not.toHaveProperty('ms');
});

test('a price that is not known is counted as unknown, a refused call is not', () => {
  const book = journalByHand()
    .ask('0.0')
    .attempt('0.0', 1, { kind: 'retry', delayMs: 0 }, { model: 'acme/small' }, fault('model/rate-limit', '429'))
    .attempt('0.0', 2, { kind: 'retry', delayMs: 0 }, { model: 'acme/small' }, fault('model/stalled', 'stalled'))
    .reply('0.0', 'hello', [], { model: 'local/free', usage: { input: 7, output: 1, cacheRead: 4, reasoning: 1 } })
    .over();
  const { totals } = ledger(book.events);
  expect(totals).toEqual({ unpriced: 2, calls: 3, input: 7, output: 1, cacheRead: 4, cacheWrite: 0, reasoning: 1 });
});

test('own and inclusive totals hold per agent and per trigger, each call once however deep it was', () => {
  const book = journalByHand()
    .ask('0.0')
    .reply('0.0', '')
    .run('0.1.0', 'helper')
    .ask('0.1.0.0', { session: '0.1.0', agent: 'helper' })
    .reply('0.1.0.0', '')
    .run('0.1.0.1', 'helper', { kind: 'next', chainTrigger: 'next', chainParent: 'agent__helper', chainStageIndex: 0 })
    .ask('0.1.0.1.0', { session: '0.1.0.1', agent: 'helper' })
    .reply('0.1.0.1.0', '')
    .runEnds('0.1.0.1')
    .runEnds('0.1.0')
    .over();
  const { agents, triggers, totals } = ledger(book.events);
  const calls = (shares: readonly { own: { calls: number }; inclusive: { calls: number } }[]) =>
    shares.map(({ own, inclusive }) => [own.calls, inclusive.calls]);
  expect(totals.usd).toBe(1.5);
  expect(agents.map(({ agent }) => agent)).toEqual(['lead', 'helper']);
  expect(calls(agents)).toEqual([
    [1, 3],
    [2, 2],
  ]);
  expect(triggers.map(({ trigger }) => trigger)).toEqual(['start', 'call', 'next']);
  expect(calls(triggers)).toEqual([
    [1, 3],
    [1, 2],
    [1, 1],
  ]);
});

test("calls of a team's members count towards their supervisor", () => {
  const book = journalByHand('team')
    .run('0.0.0', 'ann', { kind: 'member' })
    .ask('0.0.0.0', { session: '0.0.0', agent: 'ann' })
    .reply('0.0.0.0', '')
    .run('0.0.1', 'sue', { kind: 'supervisor' })
    .ask('0.0.1.0', { session: '0.0.1', agent: 'sue' })
    .reply('0.0.1.0', '')
    .runEnds('0.0.1')
    .over();
  const sue = ledger(book.events).agents.find(({ agent }) => agent === 'sue');
  expect(sue).toMatchObject({ own: { calls: 1 }, inclusive: { calls: 2, usd: 1 } });
});

test('a session that is asked again is charged for its answers, and its parent includes them', () => {
  const book = journalByHand()
    .run('0.0', 'helper')
    .ask('0.0.0', { session: '0.0', agent: 'helper' })
    .reply('0.0.0', '')
    .runEnds('0.0')
    .say('0.1', '0.0', 'and?')
    .ask('0.1.0', { session: '0.0', agent: 'helper', turn: 2 })
    .reply('0.1.0', '')
    .sayEnds('0.1')
    .over();
  const { lines, agents } = ledger(book.events);
  expect(lines.map(({ session, trigger }) => [session, trigger])).toEqual([
    ['0.0', 'call'],
    ['0.0', 'call'],
  ]);
  expect(agents.find(({ agent }) => agent === 'helper')).toMatchObject({ own: { calls: 2 } });
});
