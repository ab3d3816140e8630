// The words of a run's head and banners.

import { expect, test } from 'vitest';
import { fault } from '../../../../src/kernel/fault.ts';
import { brokenOutcome } from '../../../../src/kernel/outcome.ts';
import { ledger } from '../../../../src/views/costs/ledger.ts';
import { opTree } from '../../../../src/views/tree/op-tree.ts';
import { call, journalByHand, overloaded } from '../../../../test/support/events.ts';
import { ledgerCsv } from '../../parts/ledger-csv.ts';
import { failedBelow, failingOp, finishedCalls, forkCost, inDoubt } from './run-facts.ts';

test('a run failed at the deepest op that has its fault', () => {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '')
    .run('0.2', 'pay', { kind: 'next' })
    .ask('0.2.1', { session: '0.2', agent: 'pay' })
    .attempt('0.2.1', 1, { kind: 'give-up' })
    .fails('0.2.1', 'model', overloaded)
    .runEnds('0.2', brokenOutcome(overloaded))
    .over(brokenOutcome(overloaded));
  expect(failingOp(opTree(book.events))).toMatchObject({ path: '0.2.1' });
});

test('a limit that ended a run between two ops leads to its last turn', () => {
  const over = brokenOutcome(fault('turns/exhausted', '2 of 2 turns'));
  const book = journalByHand().ask('0.1').reply('0.1', '').ask('0.2', { turn: 2 }).reply('0.2', '').over(over);
  expect(failingOp(opTree(book.events))).toMatchObject({ kind: 'turn', turn: 2 });
  expect(failingOp(opTree(journalByHand().ask('0.1').reply('0.1', 'x').over().events))).toBeUndefined();
});

test('an answered run says how many ops below it failed', () => {
  const book = journalByHand()
    .ask('0.1')
    .reply('0.1', '')
    .tool('0.2', call('a', 'read'))
    .toolEnds('0.2', 'no such file', 'error')
    .run('0.3', 'helper')
    .runEnds('0.3', brokenOutcome(overloaded))
    .over();
  expect(failedBelow(opTree(book.events))).toBe(2);
});

test('a run that broke off: what is finished, and what is in doubt', () => {
  const book = journalByHand().ask('0.1').reply('0.1', '').tool('0.2', call('a', 'pay')).ask('0.3', { turn: 2 });
  const tree = opTree(book.events);
  expect(inDoubt(tree).map(({ path, kind }) => `${kind} ${path}`)).toEqual(['tool 0.2', 'model 0.3']);
  expect(finishedCalls(tree)).toEqual({ model: 1, tool: 0 });
});

test('a fork splits what it took over from what was paid in it', () => {
  const book = journalByHand().ask('0.1').reply('0.1', '').ask('0.2', { turn: 2 }).reply('0.2', 'x').over();
  const start = { ...book.events[0], forkedFrom: { run: 'r', at: '0.2', events: 3 } } as Parameters<typeof forkCost>[0];
  const cost = forkCost(start, ledger(book.events).lines, book.events);
  expect([cost?.takenOver.usd, cost?.here.usd]).toEqual([0.5, 0.5]);
  expect(forkCost(undefined, [], [])).toBeUndefined();
});

test('a ledger as CSV keeps texts that a spreadsheet would run', () => {
  const [line] = ledger(journalByHand('=cmd()').ask('0.1').reply('0.1', '').events).lines;
  expect(ledgerCsv([line!]).split('\n')[1]).toMatch(/^0\.1,'=cmd\(\),1,start,acme\/small,ok,100,20,0\.5,/);
});
