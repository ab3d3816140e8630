import { expect, test } from 'vitest';
import type { CandidateKind, RecordedCase } from '../../views/tests/test-record.ts';
import { candidatesText } from './candidates-text.ts';

const spent = {
  usd: 0.0034,
  unpriced: 0,
  calls: 2,
  input: 6400,
  output: 80,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
};

const ran = (name: string, kind: CandidateKind, given: Partial<RecordedCase>): RecordedCase => ({
  name,
  kind,
  file: 'desk.test.yaml',
  line: 3,
  agent: 'clerk',
  folder: '/desk',
  state: 'passed',
  failures: [],
  asked: ['clerk'],
  called: [],
  ms: 276,
  spent,
  runs: [],
  kept: false,
  ...given,
});

const shown = (given: Partial<RecordedCase> = {}): string => {
  const slow = { ms: 404, spent: { ...spent, usd: 0.0037, input: 7100 } };
  const cases = (['team', 'alone'] as const).flatMap((kind) => [ran('one', kind, given), ran('two', kind, slow)]);
  return candidatesText({ cases, candidates: [{ kind: 'team' }, { kind: 'alone' }] }, { alone: true }, 120);
};

test('the table of candidates fits into 120 columns where nothing was judged', () => {
  const [head = ''] = shown().split('\n');
  expect(head).toMatch(/^CANDIDATE +PASSED +SHARE, 95 % RANGE +COST A CASE +TOKENS A CASE +TIME A CASE$/);
});

test('the table of candidates says what judges found where there was one', () => {
  const [head, team] = shown({ verdicts: [{ run: 'r', good: true, why: 'Fine.' }] }).split('\n');
  expect(head).toContain('JUDGED GOOD');
  expect(team).toMatch(/^team .*\) +100 % +\$/);
});
