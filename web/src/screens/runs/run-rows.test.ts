import { expect, test } from 'vitest';
import type { RunRow } from '../../../../src/server/protocol.ts';
import { runStanding } from '../../../../src/views/runs/run-standing.ts';
import { costOf, isChosen, noteOf, withDays } from './run-rows.ts';

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
  expect(noteOf(waiting)).toEqual({ kind: 'person', text: 'desk: pay' });
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
  const failed = row({ outcome: 'failed', fault: { code: 'model/server', message: 'x' }, stage: 'refunds' });
  expect(noteOf(failed)).toEqual({ kind: 'plain', text: 'model/server at refunds' });
  expect(isChosen(failed, 'unanswered')).toBe(true);
  const limit = { unit: 'turns', spent: 2, limit: 2 } as const;
  const exhausted = row({ outcome: 'exhausted', fault: { code: 'turns/exhausted', message: 'x', limit } });
  expect(noteOf(exhausted)).toEqual({ kind: 'plain', text: '2 of 2 turns' });
});

test('a price that is not known is never shown as nothing', () => {
  expect(costOf(row({ atLeast: true }))).toBe('≥ $0.002');
  const { usd: _usd, ...unpriced } = row();
  expect(costOf(unpriced)).toBe('$?');
  expect(costOf({ ...unpriced, calls: 0 })).toBe('–');
});

test('each day has its runs and their sum', () => {
  const { usd: _usd, ...unpriced } = row({ run: 'c', startedAt: 5 });
  const list = withDays([row({ run: 'a', startedAt: 25 }), row({ run: 'b', startedAt: 21 }), unpriced], (at) =>
    String(Math.floor(at / 20)),
  );
  expect(list.map((one) => (one.kind === 'day' ? `${one.count} ${one.cost}` : one.key))).toEqual([
    '2 $0.004',
    'a',
    'b',
    '1 $?',
    'c',
  ]);
});
