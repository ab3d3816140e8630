// What cadre test prints: a line for each case, what is wrong with those that failed, and the sums.

import { hunksOf } from '../../diff/unified.ts';
import type { Failure } from '../../suite/checks.ts';
import { shareOf } from '../../suite/judge.ts';
import type { CaseResult } from '../../suite/run-case.ts';
import { cost, duration, plural, tokens } from '../../views/amounts.ts';
import type { Paint } from '../screen/terminal.ts';
import { table } from './table.ts';

const MARKS = { passed: ['good', '✓'], failed: ['error', '✕'], skipped: ['warning', '–'] } as const;

export function caseLine({ test, state, why, model, observed, verdicts }: CaseResult, paint: Paint): string {
  const [tone, mark] = MARKS[state];
  const facts = [
    model,
    observed === undefined ? undefined : duration(observed.ms),
    verdicts === undefined
      ? undefined
      : `judged good ${verdicts.filter(({ good }) => good).length} of ${verdicts.length}`,
    why === undefined ? undefined : `skipped: ${why}`,
  ].filter((fact) => fact !== undefined);
  return `${paint(tone, mark)} ${test.name}  ${paint('faint', [`${test.file}:${test.line}`, ...facts].join(' · '))}`;
}

const ANSWER_LINES = 12;

/** Everything that is needed to understand a failure, and the command that shows the rest. */
export function failedCaseText(result: CaseResult, kept: boolean, paint: Paint): string {
  const { test, failures, observed, runs, model } = result;
  const lines = [
    paint('strong', `${test.name}${model === undefined ? '' : ` with ${model}`}`),
    `  ${test.file}:${test.line}`,
  ];
  for (const failure of failures) lines.push(...indented(failureLines(failure, paint)));
  if (observed !== undefined) {
    const asked = observed.agents.map(({ name }) => name);
    if (asked.length > 0) lines.push(paint('faint', `  asked: ${asked.join(', ')}`));
    if (observed.tools.length > 0)
      lines.push(paint('faint', `  called: ${observed.tools.map(({ name }) => name).join(', ')}`));
    if (observed.text !== '' && failures.every(({ received }) => received === undefined))
      lines.push(...indented([paint('faint', 'the answer:'), ...head(observed.text)]));
  }
  const run = runs.at(-1);
  if (run !== undefined && kept) lines.push(paint('name', `  cadre show ${run}`));
  return lines.join('\n');
}

function failureLines({ what, expected, received }: Failure, paint: Paint): readonly string[] {
  const said = what.split('\n').map((line, index) => (index === 0 ? paint('error', line) : line));
  if (expected === undefined)
    return received === undefined ? said : [...said, paint('faint', 'received:'), ...head(received)];
  if (received === undefined) return [...said, paint('faint', 'expected:'), ...head(expected)];
  return [...said, paint('faint', '- expected  + received'), ...diffLines(expected, received, paint)];
}

function diffLines(expected: string, received: string, paint: Paint): readonly string[] {
  return hunksOf(`${expected}\n`, `${received}\n`)
    .filter((line) => !line.startsWith('@@'))
    .map((line) => {
      const tone = line.startsWith('-') ? 'good' : line.startsWith('+') ? 'error' : 'faint';
      return paint(tone, `${line.slice(0, 1)} ${line.slice(1)}`);
    });
}

function head(text: string): readonly string[] {
  const lines = text.split('\n');
  return lines.length <= ANSWER_LINES
    ? lines
    : [...lines.slice(0, ANSWER_LINES), `… ${lines.length - ANSWER_LINES} more lines`];
}

const indented = (lines: readonly string[]): readonly string[] => lines.map((line) => `  ${line}`);

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

export const countsOf = (results: readonly CaseResult[]): Counts => ({
  passed: results.filter(({ state }) => state === 'passed').length,
  failed: results.filter(({ state }) => state === 'failed').length,
  skipped: results.filter(({ state }) => state === 'skipped').length,
});

export function summaryText(results: readonly CaseResult[], ms: number, paint: Paint): string {
  const { passed, failed, skipped } = countsOf(results);
  const spent = spentBy(results);
  const judges = spentByJudges(results);
  const counts = [
    paint(failed === 0 ? 'good' : 'faint', `${passed} passed`),
    failed === 0 ? '0 failed' : paint('error', `${failed} failed`),
    ...(skipped === 0 ? [] : [paint('warning', `${skipped} skipped`)]),
  ].join(', ');
  const judged =
    judges.calls === 0 ? '' : `, and judges ${plural(judges.calls, 'call')} ${cost(judges.usd, judges.unpriced)}`;
  return `${counts}  ${paint('faint', `${plural(spent.calls, 'model call')} ${cost(spent.usd, spent.unpriced)}${judged} · ${duration(ms)}`)}`;
}

interface SpentSum {
  readonly calls: number;
  readonly tokens: number;
  readonly usd: number | undefined;
  readonly unpriced: number;
}

type Spending = {
  readonly usd?: number;
  readonly unpriced: number;
  readonly calls: number;
  readonly input: number;
  readonly output: number;
};

function summed(all: readonly Spending[]): SpentSum {
  const priced = all.filter(({ usd }) => usd !== undefined);
  return {
    calls: all.reduce((sum, one) => sum + one.calls, 0),
    tokens: all.reduce((sum, one) => sum + one.input + one.output, 0),
    usd: priced.length === 0 ? undefined : priced.reduce((sum, one) => sum + (one.usd ?? 0), 0),
    unpriced: all.reduce((sum, one) => sum + one.unpriced, 0),
  };
}

export const spentBy = (results: readonly CaseResult[]): SpentSum =>
  summed(results.flatMap(({ observed }) => (observed === undefined ? [] : [observed.totals])));
const spentByJudges = (results: readonly CaseResult[]): SpentSum =>
  summed(results.flatMap(({ verdicts = [] }) => verdicts.map(({ totals }) => totals)));

/** The same cases over several models, side by side, and the cases that differ. */
export function modelsText(
  results: readonly CaseResult[],
  models: readonly string[],
  columns: number | undefined,
): string {
  const of = (model: string) => results.filter((one) => one.model === model);
  const rows = models.map((model) => {
    const own = of(model);
    const { passed, failed, skipped } = countsOf(own);
    const spent = spentBy(own);
    const times = own.flatMap(({ observed }) => (observed === undefined ? [] : [observed.ms])).sort((a, b) => a - b);
    const judged = own.flatMap(({ verdicts }) => (verdicts === undefined ? [] : [shareOf(verdicts)]));
    const good =
      judged.length === 0 ? '–' : `${Math.round((judged.reduce((sum, one) => sum + one, 0) / judged.length) * 100)} %`;
    const middle = times[Math.floor(times.length / 2)];
    return [
      model,
      `${passed} of ${passed + failed}${skipped === 0 ? '' : `, ${skipped} skipped`}`,
      good,
      cost(spent.usd, spent.unpriced),
      tokens(spent.tokens),
      middle === undefined ? '–' : duration(middle),
    ];
  });
  const lines = table(
    [
      { title: 'MODEL', flexible: true },
      { title: 'PASSED', align: 'right' },
      { title: 'JUDGED GOOD', align: 'right' },
      { title: 'COST', align: 'right' },
      { title: 'TOKENS', align: 'right' },
      { title: 'TIME, MEDIAN', align: 'right' },
    ],
    rows,
    columns,
  );
  const differing = caseNames(results).flatMap((name) => {
    const own = results.filter(({ test }) => `${test.file} ${test.name}` === name);
    const passed = own.filter(({ state }) => state === 'passed').map(({ model }) => model);
    if (passed.length === 0 || passed.length === own.length) return [];
    return [`  ${own[0]?.test.name ?? name}: only ${passed.join(', ')}`];
  });
  return [...lines, ...(differing.length === 0 ? [] : ['', 'passed by some models only:', ...differing])].join('\n');
}

const caseNames = (results: readonly CaseResult[]): readonly string[] => [
  ...new Set(results.map(({ test }) => `${test.file} ${test.name}`)),
];
