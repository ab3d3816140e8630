import { expect, test } from 'vitest';
import type { RecordedCase } from '../../../../src/views/tests/test-record.ts';
import { candidatesCsv, cellRows, comparedCandidates, isComparison, plotOf, spreadWords } from './comparison.ts';

const spent = (usd: number | undefined) => ({
  ...(usd !== undefined && { usd }),
  unpriced: usd === undefined ? 1 : 0,
  calls: 1,
  input: 10,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  reasoning: 0,
});

const tried = (
  kind: 'team' | 'alone',
  name: string,
  states: string,
  usd: number | undefined,
): readonly RecordedCase[] =>
  states.split('').map((state, index) => ({
    name,
    file: 'a.test.yaml',
    line: 1,
    agent: 'desk',
    folder: '/a',
    kind,
    time: index + 1,
    state: state === '+' ? 'passed' : state === '-' ? 'failed' : 'skipped',
    failures: [],
    asked: [],
    called: [],
    ms: 10,
    spent: spent(usd),
    runs: [],
    kept: true,
  }));

const CANDIDATES = [{ kind: 'team' }, { kind: 'alone' }] as const;
const CASES = [
  ...tried('team', 'easy', '+++', 0.01),
  ...tried('alone', 'easy', '++-', 0.001),
  ...tried('team', 'hard', '+--', 0.01),
  ...tried('alone', 'hard', '---', 0.001),
  ...tried('team', 'out', '+++', 0.01),
  ...tried('alone', 'out', 'sss', 0.001),
];

test('candidates have what passed at each time, and cases stand with the hardest first and those left out last', () => {
  const rows = comparedCandidates(CASES, CANDIDATES);
  expect(rows.map(({ name, passed, of, eachTime }) => [name, passed, of, eachTime])).toEqual([
    ['team', 4, 6, [1, 2]],
    ['alone', 2, 6, [0, 1]],
  ]);
  expect(cellRows(CASES, CANDIDATES).map(({ name, cells }) => [name, cells.map((cell) => cell.length)])).toEqual([
    ['hard', [3, 3]],
    ['easy', [3, 3]],
    ['out', [3, 3]],
  ]);
  expect(candidatesCsv(rows).split('\n')[1]).toBe('team,,4,6,0.01,10,10');
});

test('the plot is logarithmic over eight times, marks who is beaten by none, and leaves out unknown prices', () => {
  const plot = plotOf(comparedCandidates(CASES, CANDIDATES), 'usd');
  expect(plot).toMatchObject({ isLog: true, without: [] });
  expect(plot.points.map(({ x, isBest }) => [Math.round(x * 100), isBest])).toEqual([
    [94, true],
    [6, true],
  ]);
  const equal = plotOf(comparedCandidates(CASES, CANDIDATES), 'tokens');
  expect(equal.isLog).toBe(false);
  expect(equal.points.map(({ isBest }) => isBest)).toEqual([true, false]);
  const unpriced = [...tried('team', 'a', '+', undefined), ...tried('alone', 'a', '+', 0.1)];
  expect(plotOf(comparedCandidates(unpriced, CANDIDATES), 'usd').without).toEqual(['team']);
  expect(plotOf([], 'usd').points).toEqual([]);
});

test('a comparison has one agent alone or several times, and a spread is half of the range', () => {
  expect(isComparison({ candidates: CANDIDATES })).toBe(true);
  expect(
    isComparison({
      candidates: [
        { kind: 'team', model: 'a' },
        { kind: 'team', model: 'b' },
      ],
    }),
  ).toBe(false);
  expect(
    isComparison({
      candidates: [
        { kind: 'team', model: 'a' },
        { kind: 'team', model: 'b' },
      ],
      times: 3,
    }),
  ).toBe(true);
  expect(isComparison({ times: 3 })).toBe(false);
  expect(spreadWords('tokens', { median: 10, least: 8, most: 12 })).toBe('10 ± 2');
  expect(spreadWords('ms', { median: 10, least: 10, most: 10 })).toBe('10ms');
  expect(spreadWords('usd', undefined)).toBe('–');
});
