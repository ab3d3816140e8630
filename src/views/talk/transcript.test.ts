import { expect, test } from 'vitest';
import { call, journalByHand } from '../../../test/support/events.ts';
import { user } from '../../kernel/message.ts';
import { type Conversation, TranscriptFold, transcript } from './transcript.ts';

/** One line a message: who, which turn, what. */
const lines = (conversation: Conversation | undefined): string[] =>
  (conversation?.entries ?? []).map(({ message, turn, folded }) => {
    const text = message.role === 'tool' ? `${message.name}: ${message.result.text}` : message.text;
    return `${turn} ${message.role} ${text}${folded ? ' (folded)' : ''}`;
  });

const twoTools = () =>
  journalByHand()
    .ask('0.0', { system: 'Be kind.', added: [user('hi')] })
    .reply('0.0', 'looking', [call('a', 'read'), call('b', 'list')])
    .tool('0.1.0.0', call('a', 'read'))
    .tool('0.1.1.0', call('b', 'list'))
    .toolEnds('0.1.1.0', 'three files')
    .toolEnds('0.1.0.0', 'the text');

const secondTurn = {
  turn: 2,
  added: [
    { role: 'assistant', op: '0.0' },
    { role: 'tool', call: 'a', name: 'read', op: '0.1.0.0' },
    { role: 'tool', call: 'b', name: 'list', op: '0.1.1.0' },
    user('This is your last turn.'),
  ],
} as const;

test('a conversation is rebuilt in order, each message once', () => {
  const book = twoTools().ask('0.2', secondTurn).reply('0.2', 'done').over();
  const [only, ...others] = transcript(book.events);
  expect(others).toEqual([]);
  expect(only).toMatchObject({ session: '0', agent: 'lead', trigger: 'start', system: 'Be kind.' });
  expect(lines(only)).toEqual([
    '1 user hi',
    '1 assistant looking',
    '1 tool read: the text',
    '1 tool list: three files',
    '2 user This is your last turn.',
    '2 assistant done',
  ]);
});

test('results that no later request holds are shown in the order of the calls', () => {
  expect(lines(transcript(twoTools().events)[0])).toEqual([
    '1 user hi',
    '1 assistant looking',
    '1 tool read: the text',
    '1 tool list: three files',
  ]);
});

test('a call that is made again after a crash does not repeat its messages', () => {
  const book = twoTools().ask('0.2', secondTurn).resume().ask('0.2', secondTurn).reply('0.2', 'done').over();
  expect(lines(transcript(book.events)[0])).toHaveLength(6);
});

test('a result that was folded away is marked', () => {
  const book = twoTools()
    .ask('0.2', secondTurn)
    .reply('0.2', 'more')
    .ask('0.3', { turn: 3, added: [{ role: 'assistant', op: '0.2' }], folded: [2] })
    .over();
  expect(lines(transcript(book.events)[0])[2]).toBe('1 tool read: the text (folded)');
  expect(lines(transcript(book.events)[0]).filter((line) => line.endsWith('(folded)'))).toHaveLength(1);
});

test('nested sessions name the session and the turn that they were opened in, and go on when asked again', () => {
  const book = journalByHand()
    .ask('0.0')
    .reply('0.0', '', [call('a', 'agent__helper')])
    .run('0.1', 'helper')
    .ask('0.1.0', { session: '0.1', agent: 'helper', added: [user('help')] })
    .reply('0.1.0', 'helped')
    .runEnds('0.1')
    .say('0.2', '0.1', 'sure?')
    .ask('0.2.0', {
      session: '0.1',
      agent: 'helper',
      turn: 2,
      added: [{ role: 'assistant', op: '0.1.0' }, user('sure?')],
    })
    .reply('0.2.0', 'yes')
    .sayEnds('0.2')
    .over();
  const helper = transcript(book.events).find(({ session }) => session === '0.1');
  expect(helper).toMatchObject({ agent: 'helper', trigger: 'call', parent: '0', parentTurn: 1 });
  expect(lines(helper)).toEqual(['1 user help', '1 assistant helped', '2 user sure?', '2 assistant yes']);
});

test('a message that the journal does not hold is said to be missing', () => {
  const book = journalByHand().ask('0.3', { turn: 2, added: [{ role: 'assistant', op: '0.0' }] });
  expect(lines(transcript(book.events)[0])).toEqual(['2 assistant [the journal holds no result of op 0.0]']);
});

test('while a run is live, a conversation in which nothing was said stays the same object', () => {
  const book = journalByHand()
    .ask('0.0')
    .reply('0.0', 'looking')
    .run('0.1.0.0', 'helper')
    .ask('0.1.0.0.0', { session: '0.1.0.0', agent: 'helper' });
  const fold = new TranscriptFold();
  for (const event of book.events) fold.add(event);
  const [lead, helper] = fold.conversations();
  book.reply('0.1.0.0.0', 'found');
  fold.add(book.events.at(-1)!);
  const [leadLater, helperLater] = fold.conversations();
  expect(leadLater).toBe(lead);
  expect(helperLater).not.toBe(helper);
  expect(lines(helperLater)).toEqual(['1 user hi', '1 assistant found']);
});
