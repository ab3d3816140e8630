// Candidates as the screen shows them: cases with a cell for each candidate, the hardest first, and the points of the plot.
// Pure.

import { cost, duration, tokens } from '../../../../src/views/amounts.ts';
import {
  type CandidateRow,
  candidateName,
  candidateRows,
  type Spread,
} from '../../../../src/views/tests/candidates.ts';
import type { RecordedCase, TestHead } from '../../../../src/views/tests/test-record.ts';

type Candidate = NonNullable<TestHead['candidates']>[number];

/** True where the candidates differ in more than their model, or each was tried several times. */
export const isComparison = ({ candidates = [], times = 1 }: Pick<TestHead, 'candidates' | 'times'>): boolean =>
  candidates.length > 1 && (times > 1 || candidates.some(({ kind }) => kind === 'alone'));

export interface ComparedCandidate extends CandidateRow {
  readonly name: string;
  /** The least and the most cases that passed at one time. Undefined where there was one time. */
  readonly eachTime: readonly [number, number] | undefined;
}

const isOf = (one: RecordedCase, { kind, model }: Candidate): boolean =>
  (one.kind ?? 'team') === kind && one.model === model;

const keyOf = ({ file, name }: RecordedCase): string => `${file} ${name}`;

export function comparedCandidates(
  cases: readonly RecordedCase[],
  candidates: readonly Candidate[],
): readonly ComparedCandidate[] {
  const skipped = new Set(cases.flatMap((one) => (one.state === 'skipped' ? [keyOf(one)] : [])));
  return candidateRows(cases, candidates).map((row) => {
    const own = cases.filter((one) => isOf(one, row) && !skipped.has(keyOf(one)));
    const byTime = new Map<number, number>();
    for (const { time = 1, state } of own) byTime.set(time, (byTime.get(time) ?? 0) + (state === 'passed' ? 1 : 0));
    const counts = [...byTime.values()];
    return {
      ...row,
      name: candidateName(row, true),
      eachTime: counts.length < 2 ? undefined : [Math.min(...counts), Math.max(...counts)],
    };
  });
}

export interface CellRow {
  readonly key: string;
  readonly name: string;
  readonly file: string;
  /** In the order of the candidates, each in the order of its times. */
  readonly cells: readonly (readonly RecordedCase[])[];
}

/** The cases that fewest passed come first; those that were left out last. */
export function cellRows(cases: readonly RecordedCase[], candidates: readonly Candidate[]): readonly CellRow[] {
  const byKey = new Map<string, RecordedCase[]>();
  for (const one of cases) byKey.set(keyOf(one), [...(byKey.get(keyOf(one)) ?? []), one]);
  const rows = [...byKey].map(([key, all]) => ({
    key,
    name: all[0]?.name ?? '',
    file: all[0]?.file ?? '',
    cells: candidates.map((candidate) =>
      all.filter((one) => isOf(one, candidate)).toSorted((one, other) => (one.time ?? 1) - (other.time ?? 1)),
    ),
    isOut: all.some(({ state }) => state === 'skipped'),
    share: all.filter(({ state }) => state === 'passed').length / all.length,
  }));
  return rows.toSorted((one, other) => Number(one.isOut) - Number(other.isOut) || one.share - other.share);
}

export const ACROSS = ['usd', 'ms', 'tokens'] as const;
export type Across = (typeof ACROSS)[number];
export const ACROSS_NAMES: Readonly<Record<Across, string>> = { usd: 'cost a case', ms: 'time', tokens: 'tokens' };

export const amountText = (across: Across, amount: number): string =>
  across === 'usd' ? cost(amount, 0) : across === 'ms' ? duration(Math.round(amount)) : tokens(Math.round(amount));

/** The median, and half of the range where it varies. */
export function spreadWords(across: Across, spread: Spread | undefined): string {
  if (spread === undefined) return '–';
  const half = (spread.most - spread.least) / 2;
  const middle = amountText(across, spread.median);
  return half === 0 ? middle : `${middle} ± ${amountText(across, half)}`;
}

export interface PlotPoint {
  readonly index: number;
  /** From 0 to 1, from the left and from the bottom. */
  readonly x: number;
  readonly y: number;
  /** The least and the most share at one time. */
  readonly y0: number;
  readonly y1: number;
  readonly isBest: boolean;
}

export interface Plot {
  readonly points: readonly PlotPoint[];
  readonly isLog: boolean;
  readonly from: number;
  readonly to: number;
  /** Candidates that ran and have no amount, because a price is unknown. */
  readonly without: readonly string[];
}

/** The amounts across, logarithmic if the largest is over 8 times the least; the shares that passed upwards, from 0 to 1. */
export function plotOf(rows: readonly ComparedCandidate[], across: Across): Plot {
  const known = rows.flatMap((row, index) => {
    const amount = row[across]?.median;
    return amount === undefined || row.of === 0 ? [] : [{ row, index, amount, share: row.passed / row.of }];
  });
  const amounts = known.map(({ amount }) => amount);
  const [from, to] = [Math.min(...amounts), Math.max(...amounts)];
  const isLog = from > 0 && to > 8 * from;
  const place = (amount: number): number => {
    if (to === from) return 0.5;
    const part = isLog ? Math.log(amount / from) / Math.log(to / from) : (amount - from) / (to - from);
    return 0.06 + part * 0.88;
  };
  const points = known.map(({ row, index, amount, share }) => {
    const [least, most] = row.eachTime ?? [];
    const beaten = known.some(
      (other) => other.amount <= amount && other.share >= share && (other.amount < amount || other.share > share),
    );
    return {
      index,
      x: place(amount),
      y: share,
      y0: least === undefined || row.cases === 0 ? share : least / row.cases,
      y1: most === undefined || row.cases === 0 ? share : most / row.cases,
      isBest: !beaten,
    };
  });
  const without = rows.filter((row) => row.of > 0 && !known.some((one) => one.row === row)).map(({ name }) => name);
  return { points, isLog, from: known.length === 0 ? 0 : from, to: known.length === 0 ? 0 : to, without };
}

export function candidatesCsv(rows: readonly ComparedCandidate[]): string {
  const lines = rows.map(({ kind, model = '', passed, of, usd, tokens: used, ms }) =>
    [kind, model, passed, of, usd?.median ?? '', used?.median ?? '', ms?.median ?? ''].join(','),
  );
  return `${['kind,model,passed,of,usd,tokens,ms', ...lines].join('\n')}\n`;
}
