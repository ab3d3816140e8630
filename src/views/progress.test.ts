import { expect, test } from 'vitest';
import { call, journalByHand, overloaded } from '../../test/support/events.ts';
import { broken } from '../kernel/outcome.ts';
import { progressFold, SNIPPET } from './progress.ts';

const follow = (book: ReturnType<typeof journalByHand>) => {
  const fold = progressFold();
  let seen = 0;
  const now = () => {
    for (; seen < book.events.length; seen++) fold.add(book.events[seen] as (typeof book.events)[number]);
    return fold.now();
  };
  return { ...fold, now };
};

test('a session thinks, calls tools, waits for children and is done', () => {
  const book = journalByHand();
  const { now } = follow(book);
  const activity = () => now().sessions[0]?.activity;
  expect(activity()).toEqual({ kind: 'thinking' });
  book.ask('0.0');
  expect(activity()).toEqual({ kind: 'thinking' });
  book.reply('0.0', '', [call('a', 'read'), call('b', 'list')]);
  book.tool('0.1.0.0', call('a', 'read')).tool('0.1.1.0', call('b', 'list')).run('0.1.2.0', 'helper');
  expect(activity()).toEqual({ kind: 'calling', tools: ['read', 'list'] });
  book.toolEnds('0.1.0.0', 'x').toolEnds('0.1.1.0', 'y');
  expect(activity()).toEqual({ kind: 'waiting', for: 'children', agents: ['helper'] });
  book.signal('0.1.3.0', 'May I?');
  expect(activity()).toEqual({ kind: 'waiting', for: 'person', prompt: 'May I?' });
  book.over();
  expect(activity()).toEqual({ kind: 'done', outcome: 'answered' });
  expect(now()).toMatchObject({ run: 'r1', outcome: 'answered', totals: { calls: 1, usd: 0.5 } });
});

test('sessions stand in tree order with their depth, turn, tokens and cost', () => {
  const book = journalByHand()
    .ask('0.0')
    .reply('0.0', '')
    .run('0.1.10', 'late')
    .run('0.1.9', 'early')
    .ask('0.1.9.0', { session: '0.1.9', agent: 'early', turn: 3 })
    .reply('0.1.9.0', '')
    .runEnds('0.1.9', broken(overloaded));
  const { sessions } = follow(book).now();
  expect(sessions.map(({ agent, depth, turn }) => [agent, depth, turn])).toEqual([
    ['lead', 0, 1],
    ['early', 1, 3],
    ['late', 1, 0],
  ]);
  expect(sessions[1]).toMatchObject({
    activity: { kind: 'failed', outcome: 'failed', fault: overloaded },
    totals: { input: 100, output: 20, usd: 0.5 },
    startedAt: 1040,
    endedAt: 1070,
  });
});

test('the snippet is the end of what is being written, and begins anew each turn', () => {
  const book = journalByHand().ask('0.0');
  const { now, delta } = follow(book);
  now();
  delta('0.0', 'Hel');
  delta('0.0', 'lo');
  expect(now().sessions[0]?.snippet).toBe('Hello');
  delta('0', 'x'.repeat(1000));
  expect(now().sessions[0]?.snippet).toBe('x'.repeat(SNIPPET));
  book.reply('0.0', '').ask('0.1', { turn: 2 });
  expect(now().sessions[0]?.snippet).toBe('');
  delta('9.9', 'to nobody');
});

test('retries are counted, giving up is not one', () => {
  const book = journalByHand()
    .ask('0.0')
    .attempt('0.0', 1, { kind: 'retry', delayMs: 1 })
    .attempt('0.0', 2, { kind: 'failover', to: 'acme/large' })
    .attempt('0.0', 3, { kind: 'give-up' });
  expect(follow(book).now().sessions[0]).toMatchObject({ retries: 2, totals: { calls: 3 } });
});

test('a session that is asked again works again, and its parent waits', () => {
  const book = journalByHand().run('0.0', 'helper').runEnds('0.0');
  const { now } = follow(book);
  expect(now().sessions[1]?.activity).toEqual({ kind: 'done', outcome: 'answered' });
  book.say('0.1', '0.0', 'sure?').ask('0.1.0', { session: '0.0', agent: 'helper', turn: 2 });
  expect(now().sessions.map(({ activity }) => activity.kind)).toEqual(['waiting', 'thinking']);
  expect(now().sessions[1]).toMatchObject({ turn: 2 });
  expect(now().sessions[1]).not.toHaveProperty('endedAt');
  book.reply('0.1.0', 'yes').sayEnds('0.1');
  expect(now().sessions.map(({ activity }) => activity.kind)).toEqual(['thinking', 'done']);
});

test('what was out when a process died is not under way after the resume', () => {
  const book = journalByHand().ask('0.0').reply('0.0', '').tool('0.1', call('a', 'read'));
  const { now } = follow(book);
  expect(now().sessions[0]?.activity.kind).toBe('calling');
  book.resume();
  expect(now().sessions[0]?.activity.kind).toBe('thinking');
});

test('lines of sessions that did not change are the same as before', () => {
  const book = journalByHand().run('0.0', 'helper').run('0.1', 'other');
  const { now } = follow(book);
  const before = now().sessions;
  book.ask('0.1.0', { session: '0.1', agent: 'other' });
  const after = now().sessions;
  expect(after.map((line, index) => line === before[index])).toEqual([true, true, false]);
});
