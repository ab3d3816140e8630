// The broadcasts of a team, their times, and the members that had heard them.

import { expect, test } from 'vitest';
import { call, journalByHand } from '../../../test/support/events.ts';
import type { TeamSeat } from '../../kernel/effect.ts';
import { TeamTalkFold, teamTalk } from './team-talk.ts';

type Book = ReturnType<typeof journalByHand>;

const seat = (memberId: string): TeamSeat => ({ team: 'lead', channel: '0', role: 'member', memberId });

function joins(book: Book, path: string, memberId: string): Book {
  const op = {
    kind: 'run',
    agent: memberId,
    input: { text: 'go' },
    trigger: { kind: 'member' },
    seat: seat(memberId),
  } as const;
  book.add({ type: 'op-start', path, op });
  return book;
}

const broadcast = (number: number, memberId: string, message: string) =>
  ({ number, memberId, message, type: 'update', turnCount: 1, timestamp: 1000 + number }) as const;

const says = (book: Book, path: string, number: number, memberId: string, message: string): Book =>
  book.instant(path, 'post', { channel: '0', saying: {} }, broadcast(number, memberId, message));

const hears = (book: Book, path: string, as: string, session: string, numbers: readonly number[]): Book =>
  book.instant(
    path,
    'take',
    { inbox: { session, channel: '0', as } },
    {
      messages: [],
      broadcasts: numbers.map((number) => broadcast(number, 'x', 'x')),
    },
  );

function twoCycles(): Book {
  const book = journalByHand();
  joins(book, '0.0.0', 'ann');
  joins(book, '0.0.1', 'bob');
  book.ask('0.0.0.1', { session: '0.0.0', agent: 'ann' });
  book.reply('0.0.0.1', '', [call('a', 'team_broadcast', { message: 'first', then: 'continue' })]);
  says(book, '0.0.0.2', 1, 'ann', 'first');
  book.ask('0.0.1.1', { session: '0.0.1', agent: 'bob' }).reply('0.0.1.1', 'plain words');
  says(book, '0.0.1.2', 2, 'bob', 'plain words');
  hears(book, '0.1', 'lead', '0', [1, 2]);
  book.ask('0.2').reply('0.2', '', [call('b', 'team_broadcast', { message: 'go on' })]);
  says(book, '0.3', 3, 'lead', 'go on');
  book.add({ type: 'op-start', path: '0.4.0', op: { kind: 'say', session: '0.0.0', text: '', seat: seat('ann') } });
  hears(book, '0.4.0.0', 'ann', '0.0.0', [2, 3]);
  book.ask('0.4.0.1', { session: '0.0.0', agent: 'ann', turn: 2 });
  book.reply('0.4.0.1', '', [call('c', 'team_broadcast', { message: 'bye', then: 'leave-success' })]);
  says(book, '0.4.0.2', 4, 'ann', 'bye');
  says(book, '0.4.1', 5, 'ann', 'member ann has left the team');
  return hears(book, '0.5', 'lead', '0', [4, 5]);
}

test('each broadcast has its cycle, its sender, and what the sender did then', () => {
  const [team] = teamTalk(twoCycles().events);
  expect(team?.entries.map(({ number, role, session, cycle, then }) => [number, role, session, cycle, then])).toEqual([
    [1, 'member', '0.0.0', 1, 'continue'],
    [2, 'member', '0.0.1', 1, 'wait'],
    [3, 'supervisor', '0', 2, undefined],
    [4, 'member', '0.0.0', 2, 'leave-success'],
    [5, 'notice', undefined, 2, undefined],
  ]);
});

test('the talk tells the take in which each member heard a broadcast, and the supervisor at the end of a cycle', () => {
  const [team] = teamTalk(twoCycles().events);
  expect(team?.entries.map(({ heard }) => heard.map(({ by, op }) => `${by} ${op}`))).toEqual([
    ['lead 0.1'],
    ['lead 0.1', 'ann 0.4.0.0'],
    ['ann 0.4.0.0'],
    ['lead 0.5'],
    ['lead 0.5'],
  ]);
  expect(team?.hearings.map(({ cycle, numbers }) => [cycle, numbers])).toEqual([
    [1, [1, 2]],
    [2, [4, 5]],
  ]);
  expect(team?.participants.map(({ id, role }) => `${id} ${role}`)).toEqual([
    'lead supervisor',
    'ann member',
    'bob member',
  ]);
});

test('a refused broadcast was not said', () => {
  const book = journalByHand();
  book.instant('0.0', 'post', { channel: '0', saying: {} }, { ...broadcast(0, 'ann', 'no'), refused: 'not now' });
  expect(teamTalk(book.events)).toEqual([]);
});

test('while a run is live, a team in which nothing happened stays the same object', () => {
  const book = twoCycles();
  const fold = new TeamTalkFold();
  for (const event of book.events) fold.add(event);
  const [before] = fold.teams();
  book.ask('0.6');
  fold.add(book.events.at(-1)!);
  expect(fold.teams()[0]).toBe(before);
});
