// A team beside one agent, or models beside each other: the table of `cadre test --alone` and `--times`.

import type { SuiteResult } from '../../agent-tests/suite.ts';
import { duration, plural, tokens, usd } from '../../views/amounts.ts';
import {
  type CandidateRow,
  candidateName,
  candidatePairs,
  candidateRows,
  pairWords,
  type Spread,
} from '../../views/tests/candidates.ts';
import type { RecordedCase } from '../../views/tests/test-record.ts';
import { table } from './table.ts';

export function candidatesText(
  { cases, candidates }: Pick<SuiteResult, 'cases' | 'candidates'>,
  { alone }: { readonly alone: boolean },
  columns: number | undefined,
): string {
  const rows = candidateRows(cases, candidates);
  const name = (row: CandidateRow): string => candidateName(row, alone);
  const lines = [...sumsTable(rows, name, columns), '', ...casesTable(cases, rows, name, columns)];
  const notes = [...candidatePairs(rows).map((pair) => pairWords(pair, alone)), ...leftNotes(rows)];
  return [...lines, '', ...notes].join('\n');
}

function sumsTable(
  rows: readonly CandidateRow[],
  name: (row: CandidateRow) => string,
  columns: number | undefined,
): readonly string[] {
  const isUnpriced = rows.some(({ spent }) => spent.unpriced > 0);
  const isJudged = rows.some(({ judgedGood }) => judgedGood !== undefined); // without a judge the table fits 120 columns
  return table(
    [
      { title: 'CANDIDATE', flexible: true },
      { title: 'PASSED', align: 'right' },
      { title: 'SHARE, 95 % RANGE', align: 'right' },
      ...(isJudged ? [{ title: 'JUDGED GOOD', align: 'right' as const }] : []),
      { title: isUnpriced ? 'COST A CASE, KNOWN PRICES' : 'COST A CASE', align: 'right' },
      { title: 'TOKENS A CASE', align: 'right' },
      { title: 'TIME A CASE', align: 'right' },
    ],
    rows.map((row) => [
      name(row),
      `${row.passed} of ${row.of}`,
      row.of === 0 ? '–' : `${percent(row.passed / row.of)} (${percent(row.range[0])} to ${percent(row.range[1])})`,
      ...(isJudged ? [row.judgedGood === undefined ? '–' : percent(row.judgedGood)] : []),
      spreadText(row.usd, usd),
      spreadText(row.tokens, tokens),
      spreadText(row.ms, duration),
    ]),
    columns,
  );
}

const percent = (share: number): string => `${Math.round(share * 100)} %`;

/** The median, and where it varies also the range. */
function spreadText(spread: Spread | undefined, text: (amount: number) => string): string {
  if (spread === undefined) return '–';
  const { median, least, most } = spread;
  const [middle, low, high] = [median, least, most].map(text);
  return low === high ? `${middle}` : `${middle} (${low} to ${high})`;
}

/** The cases that were run with all candidates: how often each passed, and the sums of each. */
function casesTable(
  cases: readonly RecordedCase[],
  rows: readonly CandidateRow[],
  name: (row: CandidateRow) => string,
  columns: number | undefined,
): readonly string[] {
  const byName = new Map<string, RecordedCase[]>();
  for (const one of cases) {
    const key = `${one.file} ${one.name}`;
    byName.set(key, [...(byName.get(key) ?? []), one]);
  }
  const compared = [...byName.values()].filter((all) => all.every(({ state }) => state !== 'skipped'));
  const cellOf = (all: readonly RecordedCase[], { kind, model }: CandidateRow): string => {
    const own = all.filter((one) => (one.kind ?? 'team') === kind && one.model === model);
    const passed = own.filter(({ state }) => state === 'passed').length;
    const used = own.reduce((sum, { spent }) => sum + (spent === undefined ? 0 : spent.input + spent.output), 0);
    const mark = own.length > 1 ? `${passed} of ${own.length}` : passed === 1 ? 'passed' : 'failed';
    return `${mark}, ${tokens(used)}`;
  };
  return table(
    [{ title: 'CASE, TOKENS', flexible: true }, ...rows.map((row) => ({ title: name(row), align: 'right' as const }))],
    compared.map((all) => [all[0]?.name ?? '', ...rows.map((row) => cellOf(all, row))]),
    columns,
  );
}

function leftNotes(rows: readonly CandidateRow[]): readonly string[] {
  const leftOut = rows[0]?.leftOut ?? 0;
  const setAside = rows.reduce((sum, row) => sum + row.setAside, 0);
  return [
    ...(leftOut === 0 ? [] : [`${plural(leftOut, 'case')} left out: not every candidate could run it.`]),
    ...(setAside === 0
      ? []
      : [`${plural(setAside, 'expectation')} about who was called did not count for one agent alone.`]),
  ];
}
