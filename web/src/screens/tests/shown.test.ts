import { expect, test } from 'vitest';
import type { TestRow } from '../../../../src/server/protocol.ts';
import type { ComparedCase } from '../../../../src/views/tests/compared.ts';
import { firstShown, isFound, isShown, stateOfTests, titleOfTests } from './shown.ts';

const one = (given: Partial<ComparedCase>): ComparedCase => ({
  key: 'k',
  name: 'an order is found',
  file: 'desk.test.yaml',
  line: 3,
  agent: 'clerk',
  results: [],
  differs: false,
  state: 'passed',
  ...given,
});

const row = (given: Partial<TestRow>): TestRow =>
  ({ planned: 4, counts: { passed: 2, failed: 0, skipped: 0 }, state: 'ended', ...given }) as TestRow;

test('cases that differ come first, then those that failed, then all', () => {
  const [good, bad] = [one({}), one({ state: 'failed' })];
  const other = one({ state: 'failed', differs: true });
  expect([firstShown([good, bad, other]), firstShown([good, bad]), firstShown([good])]).toEqual([
    'differ',
    'failed',
    'all',
  ]);
  expect([good, bad, other].filter((found) => isShown(found, 'failed'))).toEqual([bad, other]);
  expect([good, bad, other].filter((found) => isShown(found, 'differ'))).toEqual([other]);
});

test('a case is found by every word of its name, file, agent or failure', () => {
  const failed = one({ results: [{ failures: [{ what: 'It cost $2.' }] } as never] });
  expect(isFound(failed, 'ORDER clerk')).toBe(true);
  expect(isFound(failed, 'cost')).toBe(true);
  expect(isFound(failed, 'order nothing')).toBe(false);
});

test('only a result whose cases passed is good; a broken-off or stopped one is not', () => {
  expect(stateOfTests(row({}))).toEqual({ state: 'ok', word: 'passed' });
  expect(stateOfTests(row({ counts: { passed: 1, failed: 2, skipped: 0 } }))).toEqual({
    state: 'failed',
    word: '2 failed',
  });
  expect(stateOfTests(row({ state: 'running' }))).toEqual({ state: 'running', word: '2 of 4' });
  expect(stateOfTests(row({ state: 'broken-off' })).state).toBe('broken-off');
  expect(stateOfTests(row({ stopped: true })).word).toBe('stopped');
  expect(stateOfTests(row({ counts: { passed: 0, failed: 0, skipped: 4 } })).word).toBe('all skipped');
  expect(titleOfTests(row({}))).toBe('✓ passed · tests');
});
