import { expect, test } from 'vitest';
import type { LedgerLine } from '../../../../src/views/costs/ledger.ts';
import { ledgerCsv } from '../../parts/ledger-csv.ts';
import { byModel, shownPrice, shownUsd, sortedLines, spentOverTime, ticksUpTo } from './sums.ts';

const line = (over: Partial<LedgerLine>): LedgerLine => ({
  path: '0.1',
  session: '0',
  agent: 'desk',
  turn: 1,
  model: 'demo/a',
  status: 'ok',
  startedAt: 100,
  ms: 10,
  trigger: 'start',
  ...over,
});

test('a model whose calls have no price has no sum, and is never nothing', () => {
  const [one, other] = byModel([line({ usd: 0.5 }), line({ model: 'demo/b' })]);
  expect(one).toMatchObject({ calls: 1, usd: 0.5, unpriced: 0 });
  expect(other).toMatchObject({ calls: 1, unpriced: 1 });
  expect([shownUsd(0.5, 0), shownUsd(0.5, 1), shownUsd(undefined, 1), shownUsd(undefined, 0)]).toEqual([
    '$0.500',
    '≥ $0.500',
    '$?',
    '$0',
  ]);
});

test('the spending grows as calls end, whatever order they began in', () => {
  const steps = spentOverTime([line({ startedAt: 100, ms: 50, usd: 1 }), line({ startedAt: 110, ms: 5, usd: 2 })], 100);
  expect(steps).toEqual([
    { at: 100, usd: 0 },
    { at: 115, usd: 2 },
    { at: 150, usd: 3 },
  ]);
});

test('calls are sorted by cost, those without a price last', () => {
  const lines = [line({ path: 'a' }), line({ path: 'b', usd: 1 }), line({ path: 'c', usd: 2 })];
  expect(sortedLines(lines, 'cost').map(({ path }) => path)).toEqual(['c', 'b', 'a']);
});

test('a name cannot become a formula of a spreadsheet', () => {
  expect(ledgerCsv([line({ agent: '=cmd()', model: 'a,"b"' })]).split('\n')[1]).toContain(
    `'=cmd(),1,start,"a,""b""",ok`,
  );
});

test('the lines of the chart are round', () => {
  expect(ticksUpTo(0.0098)).toEqual([0, 0.0025, 0.005, 0.0075]);
  expect(ticksUpTo(0)).toEqual([0]);
});

test('a price has what a cached token costs only where that is known, and an unknown one is not 0', () => {
  expect(shownPrice({ input: 2.5, output: 10, cacheRead: 1.25 })).toBe('$2.5, $10, $1.25 cached');
  expect(shownPrice({ input: 0.5, output: 1.5 })).toBe('$0.5, $1.5');
  expect(shownPrice(undefined)).toBe('$?');
});
