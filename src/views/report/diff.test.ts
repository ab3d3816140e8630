import { expect, test } from 'vitest';
import { answer, call, journalByHand } from '../../../test/support/events.ts';
import { diffRuns } from './diff.ts';

const common = () =>
  journalByHand()
    .ask('0.1')
    .reply('0.1', 'let me look', [call('c1', 'look')])
    .tool('0.2', call('c1', 'look'))
    .toolEnds('0.2', 'a lamp');

test('two runs that did the same are the same, whatever they took and cost', () => {
  const left = common().over().events;
  const right = common()
    .over()
    .events.map((event) => ({ ...event, at: event.at * 3 }));
  const found = diffRuns(left, right);
  expect(found.parting).toBeUndefined();
  expect(found.common).toBe(2);
});

test('they part at the first op that was answered differently', () => {
  const left = common().ask('0.4', { turn: 2 }).reply('0.4', 'It is lit.').over(answer('It is lit.')).events;
  const right = common().ask('0.4', { turn: 2 }).reply('0.4', 'It is out.').over(answer('It is out.')).events;
  expect(diffRuns(left, right)).toMatchObject({
    common: 2,
    parting: {
      kind: 'answered',
      path: '0.4',
      agent: 'lead',
      turn: 2,
      what: 'model call of lead, turn 2',
      left: { text: 'It is lit.' },
      right: { text: 'It is out.' },
    },
    left: { outcome: { text: 'It is lit.' }, totals: { calls: 2 } },
  });
});

test('a child run does not hide the call in it that differs', () => {
  const side = (text: string) =>
    journalByHand()
      .run('0.1', 'scout')
      .ask('0.1.1', { session: '0.1', agent: 'scout' })
      .reply('0.1.1', text)
      .runEnds('0.1', answer(text))
      .over().events;
  expect(diffRuns(side('north'), side('south')).parting).toMatchObject({ path: '0.1.1', agent: 'scout' });
});

test('a request in other words, an op that only one has, and another input are told apart', () => {
  const asked = (text: string) =>
    journalByHand()
      .ask('0.1', { added: [{ role: 'user', text }] })
      .reply('0.1', 'x')
      .over().events;
  expect(diffRuns(asked('a'), asked('b')).parting).toMatchObject({ kind: 'asked', path: '0.1' });
  const longer = common().ask('0.4', { turn: 2 }).over().events;
  expect(diffRuns(longer, common().over().events).parting).toMatchObject({
    kind: 'missing',
    path: '0.4',
    right: undefined,
  });
  expect(diffRuns(common().over().events, longer).parting).toMatchObject({
    kind: 'missing',
    path: '0.4',
    left: undefined,
  });
  expect(diffRuns(journalByHand('a').over().events, journalByHand('b').over().events).parting).toMatchObject({
    kind: 'input',
  });
  expect(diffRuns(common().over(answer('a')).events, common().over(answer('b')).events).parting).toMatchObject({
    kind: 'outcome',
  });
});

test('texts that are not the same are named', () => {
  const [left, right] = [common().over().events, common().over().events];
  Object.assign(left[0] as object, { texts: { 'a.md': '1', 'b.md': '1' } });
  Object.assign(right[0] as object, { texts: { 'a.md': '2', 'b.md': '1', 'c.md': '1' } });
  expect(diffRuns(left, right).changed).toEqual(['a.md', 'c.md']);
});
