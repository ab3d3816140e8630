import { expect, test } from 'vitest';
import type { RunSummary } from '../../journal/store.ts';
import { branchOf, threadSummaries, wordingsOf } from './threads.ts';

const message = (run: string, continues?: string, more: Partial<RunSummary> = {}): RunSummary => ({
  run,
  agent: 'desk',
  input: { text: `asked in ${run}` },
  folder: '/agents',
  startedAt: Number(run.slice(1)),
  state: 'ended',
  thread: 't',
  agents: [],
  resumes: 0,
  failedBelow: 0,
  refused: 0,
  calls: 1,
  tokens: { input: 0, output: 0 },
  spent: [],
  waiting: 0,
  events: 1,
  bytes: 1,
  unpriced: 0,
  inDoubt: 0,
  atLeast: false,
  ...(continues !== undefined && { continues }),
  ...more,
});
const ids = (runs: readonly RunSummary[]) => runs.map(({ run }) => run);

const all = [
  message('m1'),
  message('m2', 'm1'),
  message('m3', 'm2'),
  message('m4', 'm1'),
  message('m5', 'm4'),
  message('m6'),
  message('m7', 'm5', { forkedFrom: { run: 'm5', events: 3 } as NonNullable<RunSummary['forkedFrom']> }),
];

test('a thread is shown to the newest message, and a copy is not that one', () => {
  expect(ids(branchOf(all))).toEqual(['m6']);
  expect(ids(branchOf(all.slice(0, 5)))).toEqual(['m1', 'm4', 'm5']);
});

test('the branch through a message goes on to the newest one after it', () => {
  expect(ids(branchOf(all, 'm2'))).toEqual(['m1', 'm2', 'm3']);
  expect(ids(branchOf(all.slice(0, 6), 'm1'))).toEqual(['m1', 'm4', 'm5']);
});

test('wordings of one place have the same message before them; the beginning is a place', () => {
  expect(ids(wordingsOf(message('m4', 'm1'), all))).toEqual(['m2', 'm4']);
  expect(ids(wordingsOf(message('m1'), all))).toEqual(['m1', 'm6']);
});

test('a message whose predecessor is gone begins its branch', () => {
  expect(ids(branchOf([message('m9', 'pruned'), message('m10', 'm9')]))).toEqual(['m9', 'm10']);
});

test('a thread costs what all of its branches cost', () => {
  const [thread] = threadSummaries([message('m1', undefined, { usd: 0.1 }), message('m2', undefined, { usd: 0.2 })]);
  expect(thread).toMatchObject({ messages: 1, newest: { run: 'm2' }, at: 2 });
  expect(thread?.usd).toBeCloseTo(0.3);
});
