// The bars of a row.

import { expect, test } from 'vitest';
import { opFactsFold } from '../../../../../src/views/tree/op-facts.ts';
import { opTree } from '../../../../../src/views/tree/op-tree.ts';
import { call, journalByHand } from '../../../../../test/support/events.ts';
import { type Bar, barsOf, placed } from './bars.ts';
import { type Level, rowsOf } from './rows.ts';

type Book = ReturnType<typeof journalByHand>;

/** `kind from-to` for each bar of the row with this key; times in events. */
function bars(book: Book, key: string, level: Level = 'ops', live = false): readonly string[] {
  const facts = opFactsFold();
  for (const event of book.events) facts.add(event);
  const rows = rowsOf(opTree(book.events, { live }), { level, byHand: new Map(), instants: false });
  const row = rows.find((one) => one.key === key)!;
  const last = book.events.at(-1)!.at;
  const source = { facts: facts.at, start: 1000, last, dependents: () => undefined };
  return barsOf(row, source).map(
    ({ kind, from, to }) => `${kind} ${(from - 1000) / 10}-${to === undefined ? '' : (to - 1000) / 10}`,
  );
}

const oneTurn = (): Book =>
  journalByHand()
    .ask('0.1')
    .reply('0.1', '', [call('a', 'read')])
    .tool('0.2', call('a', 'read'))
    .toolEnds('0.2', 'x')
    .over();

test('a turn has a solid bar, its hidden calls stand beside it', () => {
  expect(bars(oneTurn(), '0.1', 'turns')).toEqual(['model 1-2', 'tool 3-4']);
  expect(bars(oneTurn(), '0.1', 'ops')).toEqual(['model 1-2']);
  expect(bars(oneTurn(), '0.2', 'ops')).toEqual(['tool 3-4']);
});

test('an agent has a line; while its turns have no rows, their bars stand on it', () => {
  expect(bars(oneTurn(), '0', 'turns')).toEqual(['span 0-5']);
  expect(bars(oneTurn(), '0', 'agents')).toEqual(['span 0-5', 'model 1-2', 'tool 3-4']);
});

test('a further message to another session has its bars on the row of that session, and only there', () => {
  const book = journalByHand();
  book.run('0.0', 'ann').ask('0.0.1', { session: '0.0', agent: 'ann' }).reply('0.0.1', 'one').runEnds('0.0');
  book.ask('0.1').reply('0.1', 'go on');
  book.say('0.2', '0.0', 'and?').ask('0.2.1', { session: '0.0', agent: 'ann', turn: 2 }).reply('0.2.1', 'two');
  book.sayEnds('0.2').over();
  expect(bars(book, '0', 'agents')).toEqual(['span 0-11', 'model 5-6']);
  expect(bars(book, '0.0', 'agents')).toEqual(['span 1-10', 'model 2-3', 'model 8-9']);
});

test('failed attempts and the pauses between them come before the call', () => {
  const book = journalByHand().ask('0.1');
  book.attempt('0.1', 1, { kind: 'retry', delayMs: 10 });
  book.reply('0.1', 'at last');
  const [first, second, third] = bars(book, '0.1');
  expect(first).toMatch(/^failed .*-2$/);
  expect(second).toBe('pause 2-3');
  expect(third).toBe('model 3-3');
});

test('after the last attempt gave up there is no call', () => {
  const book = journalByHand().ask('0.1').attempt('0.1', 1, { kind: 'give-up' });
  book.fails('0.1', 'model', { code: 'model/server', message: 'no' });
  expect(bars(book, '0.1')).toHaveLength(1);
});

test('a call under way has no end; a call in doubt ends with the last event', () => {
  const book = journalByHand().ask('0.1');
  book.instant('0.0', 'clock', undefined, 1);
  expect(bars(book, '0.1', 'ops', true)).toEqual(['model 1-', 'mark 2-2']);
  expect(bars(book, '0.1', 'ops', false)).toEqual(['doubt 1-2', 'mark 2-2']);
});

const bar = (from: number, to?: number): Bar => ({ kind: 'model', from, to, words: '' });

test('bars are placed in percent of what is seen, and cut at its edges', () => {
  const seen = placed([bar(0, 50), bar(150, 250), bar(300, 400), bar(190)], { from: 100, to: 200 }, 195);
  expect(seen.map(({ left, width }) => [left, width])).toEqual([
    [50, 50],
    [90, 5],
  ]);
});

test('bars that are too narrow to be told apart are one', () => {
  const many = Array.from({ length: 1000 }, (_, index) => bar(index * 2, index * 2 + 1));
  expect(placed(many, { from: 0, to: 2_000_000 }, 0).length).toBeLessThan(20);
  expect(placed([bar(0, 1), bar(2, 3)], { from: 0, to: 10 }, 0)).toHaveLength(2);
});

test('each bar says in words what it is and when', () => {
  const book = oneTurn();
  const facts = opFactsFold();
  for (const event of book.events) facts.add(event);
  const [, turn] = rowsOf(opTree(book.events), { level: 'turns', byHand: new Map(), instants: false });
  const source = { facts: facts.at, start: 1000, last: 1050, dependents: () => undefined };
  expect(barsOf(turn!, source).map(({ words }) => words)).toEqual([
    'turn 1, model call, 10ms, from +0.01 s',
    'read, tool call, 10ms, from +0.03 s',
  ]);
});
