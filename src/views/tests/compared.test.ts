import { expect, test } from 'vitest';
import { addTotals } from '../costs/totals.ts';
import { comparedCases, countsOf, modelColumns } from './compared.ts';
import { casesText, type RecordedCase, readCases, TEST_BEAT_MS, type TestHead, testState } from './test-record.ts';

const spent = (usd: number | undefined, input = 10) => ({
  ...(usd !== undefined && { usd }),
  unpriced: usd === undefined ? 1 : 0,
  calls: 1,
  input,
  output: 5,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
});

const one = (name: string, model: string | undefined, given: Partial<RecordedCase> = {}): RecordedCase => ({
  name,
  file: 'desk.test.yaml',
  line: 3,
  agent: 'clerk',
  folder: '/desk',
  ...(model !== undefined && { model }),
  state: 'passed',
  failures: [],
  asked: ['clerk'],
  called: [],
  ms: 10,
  spent: spent(0.5),
  runs: [],
  kept: false,
  ...given,
});

const skipped = (name: string, model: string): RecordedCase => {
  const { ms: _ms, spent: _spent, ...rest } = one(name, model, { state: 'skipped' });
  return rest;
};

const CASES = [
  one('found', 'a', { ms: 30 }),
  one('found', 'b', { ms: 5, spent: spent(undefined) }),
  one('lost', 'a', { state: 'failed', failures: [{ what: 'No.' }], ms: 10 }),
  one('lost', 'b', { ms: 500 }),
  skipped('far', 'a'),
  skipped('far', 'b'),
];

test('each model has its counts, its sums and the time in the middle; a cost that is partly unknown says so', () => {
  expect(modelColumns(CASES, ['a', 'b'])).toMatchObject([
    {
      model: 'a',
      counts: { passed: 1, failed: 1, skipped: 1 },
      spent: { usd: 1, unpriced: 0, calls: 2, input: 20 },
      medianMs: 10,
      totalMs: 40,
      judgedGood: undefined,
    },
    { model: 'b', counts: { passed: 2, failed: 0 }, spent: { usd: 0.5, unpriced: 1 }, medianMs: 5, totalMs: 505 },
  ]);
});

test('without chosen models there is one column for all, and judges are counted apart', () => {
  const verdicts = [true, false, true, true].map((good, n) => ({ run: `r${n}`, good, why: 'Because.' }));
  const judged = one('judged', undefined, { verdicts, judges: spent(2) });
  expect(modelColumns([judged, one('plain', undefined)], [])).toMatchObject([
    { model: undefined, counts: { passed: 2 }, spent: { usd: 1 }, judges: { usd: 2 }, judgedGood: 0.75 },
  ]);
});

test('a case differs if one model passed it and another failed it, not if one was skipped', () => {
  const compared = comparedCases([...CASES, one('half', 'a'), one('half', 'b', { state: 'skipped' })], ['b', 'a']);
  expect(compared.map(({ name, state, differs }) => [name, state, differs])).toEqual([
    ['found', 'passed', false],
    ['lost', 'failed', true],
    ['far', 'skipped', false],
    ['half', 'passed', false],
  ]);
  expect(compared[1]?.results.map(({ model }) => model)).toEqual(['b', 'a']);
});

test('a sum of nothing is nothing, and one of unknown prices is unknown', () => {
  expect(addTotals([])).toMatchObject({ usd: 0, calls: 0 });
  expect(addTotals([spent(undefined)])).not.toHaveProperty('usd');
  expect(countsOf([])).toEqual({ passed: 0, failed: 0, skipped: 0 });
});

test('cases are kept as lines and read back as they were', () => {
  const odd = one('a "name"\nof two lines', 'a', { answer: 'line one\nline two' });
  expect(readCases(casesText([odd, one('b', undefined)]))).toEqual([odd, one('b', undefined)]);
});

test('a result that nobody has written for a while and that has no end is broken off', () => {
  const head = { startedAt: 0 } as TestHead;
  expect(testState(head, 1000, 1000 + TEST_BEAT_MS)).toBe('running');
  expect(testState(head, 1000, 1001 + 4 * TEST_BEAT_MS)).toBe('broken-off');
  expect(testState({ ...head, endedAt: 5 }, 1000, 10_000_000)).toBe('ended');
});
