import { expect, test } from 'vitest';
import type { RunRow } from '../../../../src/server/protocol.ts';
import { costText } from '../../../../src/views/amounts.ts';
import { runStanding } from '../../../../src/views/runs/run-standing.ts';
import { choiceCounts, choiceWords, comparedRuns, isChosen, listRows, marksWith, noteOf } from './run-rows.ts';

const row = (over: Partial<RunRow> = {}): RunRow => ({
  run: '20261116-035531-9905a31',
  agent: 'desk',
  input: { text: 'hello' },
  folder: '/x/desk',
  startedAt: 1000,
  endedAt: 2000,
  state: 'ended',
  outcome: 'answered',
  agents: ['desk'],
  resumes: 0,
  failedBelow: 0,
  refused: 0,
  calls: 2,
  tokens: { input: 10, output: 5 },
  waiting: 0,
  events: 9,
  bytes: 900,
  usd: 0.002,
  unpriced: 0,
  inDoubt: 0,
  atLeast: false,
  prefix: '',
  driver: 'none',
  ...over,
});

test('a run that waits for a person says so before anything else', () => {
  const waiting = row({ state: 'running', waiting: 1, now: 'desk: pay' });
  expect(runStanding(waiting)).toBe('person');
  expect(noteOf(waiting, 'pay order 17')).toEqual({ kind: 'person', text: 'asks you: pay order 17' });
  expect(noteOf(waiting)).toEqual({ kind: 'person', text: 'asks you' });
  expect(isChosen(waiting, 'person')).toBe(true);
  expect(isChosen(row({ waiting: 1 }), 'person')).toBe(false);
});

test('a run at a worker says which one, and a run that waits for a worker is not broken off', () => {
  expect(noteOf(row({ state: 'running', driver: 'other', worker: 'north' }))).toEqual({
    kind: 'live',
    text: 'at north',
  });
  const queued = row({ state: 'broken-off', queued: true });
  expect(runStanding(queued)).toBe('queued');
  expect(noteOf(queued)).toEqual({ kind: 'plain', text: 'waits for a worker' });
  expect(noteOf({ ...queued, queuedWhy: 'no worker runs on this store' })?.text).toBe('no worker runs on this store');
  expect(isChosen(queued, 'broken-off')).toBe(false);
});

test('an answered run with failures below says how many; a failed one says where', () => {
  expect(noteOf(row({ failedBelow: 5 }))).toEqual({ kind: 'warn', text: '5 failed below' });
  expect(noteOf(row({ refused: 2 }))).toEqual({ kind: 'refused', text: '2 calls refused' });
  expect(noteOf(row({ refused: 2, failedBelow: 1 }))?.text).toBe('2 refused, 1 failed below');
  const failed = row({
    outcome: 'failed',
    fault: { code: 'model/server', message: 'upstream connect error' },
    stage: 'refunds',
  });
  expect(noteOf(failed)).toEqual({ kind: 'plain', text: 'refunds: upstream connect error' });
  expect(isChosen(failed, 'unanswered')).toBe(true);
  const limit = { unit: 'turns', spent: 2, limit: 2 } as const;
  const exhausted = row({ outcome: 'exhausted', fault: { code: 'turns/exhausted', message: 'x', limit } });
  expect(noteOf(exhausted)).toEqual({ kind: 'plain', text: '2 of 2 turns' });
});

test('a price that is not known is never shown as nothing', () => {
  expect(costText(row({ atLeast: true }))).toBe('≥ $0.002');
  const { usd: _usd, ...unpriced } = row();
  expect(costText(unpriced)).toBe('$?');
  expect(costText({ ...unpriced, calls: 0 })).toBe('–');
});

const NO_MESSAGES = new Map<string, readonly RunRow[]>();
const dayOf = (at: number): string => `day ${Math.floor(at / 20)}`;

test('each day has a head, and a conversation is one row that opens to its newest messages', () => {
  const sums = { ...row(), runs: 5, notAnswered: 0, waiting: 0, ms: 9, asked: 'first' };
  const chat = row({ run: 'b', startedAt: 21, thread: 't1', messages: sums });
  const list = [row({ run: 'a', startedAt: 25 }), chat, row({ run: 'c', startedAt: 5 })];
  expect(listRows(list, dayOf, NO_MESSAGES).map(({ key }) => key)).toEqual(['day day 1', 'a', 't1', 'day day 0', 'c']);
  const messages = ['b', 'b4', 'b3', 'b2', 'b1'].map((run) => row({ run, thread: 't1' }));
  expect(listRows(list, dayOf, new Map([['t1', messages]])).map(({ kind, key }) => `${kind} ${key}`)).toEqual([
    'day day day 1',
    'run a',
    'run t1',
    'message b',
    'message b4',
    'message b3',
    'earlier earlier t1',
    'day day day 0',
    'run c',
  ]);
});

test('choices are words of the filter, and are counted from the states of the server', () => {
  expect(choiceWords('unanswered', 'agent:desk')).toBe('agent:desk state:unanswered');
  expect(choiceWords('all', '')).toBe('');
  const states = { answered: 5, failed: 2, person: 1, running: 3, 'broken-off': 1, queued: 4 };
  expect(choiceCounts({ total: 16, states })).toEqual({
    all: 16,
    running: 3,
    person: 1,
    'broken-off': 1,
    unanswered: 3,
  });
});

test('two runs are marked, a third takes the place of the older one, and two different ones are compared', () => {
  expect(marksWith(['a'], 'b')).toEqual(['a', 'b']);
  expect(marksWith(['a', 'b'], 'c')).toEqual(['b', 'c']);
  expect(marksWith(['a', 'b'], 'a')).toEqual(['b']);
  expect(comparedRuns(['a', 'b'], 'c')).toEqual(['a', 'b']);
  expect(comparedRuns(['a'], 'c')).toEqual(['a', 'c']);
  expect(comparedRuns(['a'], 'a')).toEqual({ why: 'C needs two different runs: mark another with X.' });
  expect(comparedRuns([], 'a')).toMatchObject({ why: expect.stringContaining('Mark two runs') });
});
