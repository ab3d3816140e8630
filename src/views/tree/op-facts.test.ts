import { expect, test } from 'vitest';
import { call, journalByHand, overloaded } from '../../../test/support/events.ts';
import { opFactsFold } from './op-facts.ts';

test('an op is found with what it was asked, its attempts, its end and its events', () => {
  const book = journalByHand()
    .ask('0.1')
    .attempt('0.1', 1, { kind: 'retry', delayMs: 5 })
    .reply('0.1', 'hello')
    .instant('0.2', 'clock', undefined, 7)
    .tool('0.3', call('a', 'read'))
    .fails('0.3', 'tool', overloaded)
    .over();
  const fold = opFactsFold();
  for (const event of book.events) fold.add(event);
  expect(fold.at('0.1')).toMatchObject({
    firstSeq: 1,
    lastSeq: 3,
    startedAt: 1010,
    endedAt: 1030,
    op: { kind: 'model', turn: 1 },
    attempts: [{ number: 1 }],
    begins: [1010],
    result: { ok: true },
  });
  expect(fold.at('0.2')).toMatchObject({ instant: { kind: 'clock', value: 7 }, endedAt: 1040 });
  expect(fold.at('0.3')).toMatchObject({ result: { ok: false, fault: overloaded } });
  expect(fold.at('0')).toMatchObject({ firstSeq: 0, lastSeq: 7, endedAt: 1070 });
  expect(fold.at('0.9')).toBeUndefined();
  expect(fold.opOf(book.events[2]!)).toBe('0.1');
});

test('an op that is asked again after a crash is one op with two beginnings', () => {
  const book = journalByHand().ask('0.1');
  book.add({ type: 'run-resume' });
  book.ask('0.1').reply('0.1', 'now');
  const fold = opFactsFold();
  for (const event of book.events) fold.add(event);
  expect(fold.at('0.1')).toMatchObject({ startedAt: 1010, begins: [1010, 1030], endedAt: 1040 });
});
