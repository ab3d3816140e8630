// The output of cadre test: a line for each case, the failures of those that failed, and the sums.

import { cost, duration, moment, plural, tokens } from '../../views/amounts.ts';
import { comparedCases, countsOf, modelColumns, spentOn, spentOnJudges } from '../../views/tests/compared.ts';
import type { CaseFailure, RecordedCase, TestHead, TestState } from '../../views/tests/test-record.ts';
import type { Paint } from '../screen/terminal.ts';
import { table } from './table.ts';

const MARKS = { passed: ['good', '✓'], failed: ['error', '✕'], skipped: ['warning', '–'] } as const;

export function caseLine(one: RecordedCase, paint: Paint): string {
  const { name, file, line, state, why, ms, verdicts } = one;
  const [tone, mark] = MARKS[state];
  const facts = [
    ...whoWords(one),
    ms === undefined ? undefined : duration(ms),
    verdicts === undefined
      ? undefined
      : `judged good ${verdicts.filter(({ good }) => good).length} of ${verdicts.length}`,
    why === undefined ? undefined : `skipped: ${why}`,
  ].filter((fact) => fact !== undefined);
  return `${paint(tone, mark)} ${name}  ${paint('faint', [`${file}:${line}`, ...facts].join(' · '))}`;
}

/** The side that answered, its model, and the number of this time, where these can differ. */
const whoWords = ({ kind, model, time }: RecordedCase): readonly string[] => [
  ...(kind === undefined ? [] : [kind]),
  ...(model === undefined ? [] : [`with ${model}`]),
  ...(time === undefined ? [] : [`time ${time}`]),
];

const ANSWER_LINES = 12;

/** Everything that is needed to understand a failure, and the command that shows the rest. */
export function failedCaseText(one: RecordedCase, flag: string, paint: Paint): string {
  const { name, file, line, failures, answer, asked, called, runs, kept } = one;
  const lines = [paint('strong', [name, ...whoWords(one)].join(', ')), `  ${file}:${line}`];
  for (const failure of failures) lines.push(...indented(failureLines(failure, paint)));
  if (asked.length > 0) lines.push(paint('faint', `  asked: ${asked.join(', ')}`));
  if (called.length > 0) lines.push(paint('faint', `  called: ${called.join(', ')}`));
  if (answer !== undefined && answer !== '' && failures.every(({ received }) => received === undefined))
    lines.push(...indented([paint('faint', 'the answer:'), ...head(answer)]));
  const run = runs.at(-1);
  if (run !== undefined && kept) lines.push(paint('name', `  cadre show ${run}${flag}`));
  return lines.join('\n');
}

function failureLines({ what, expected, received, diff }: CaseFailure, paint: Paint): readonly string[] {
  const said = what.split('\n').map((line, index) => (index === 0 ? paint('error', line) : line));
  if (expected === undefined)
    return received === undefined ? said : [...said, paint('faint', 'received:'), ...head(received)];
  if (received === undefined) return [...said, paint('faint', 'expected:'), ...head(expected)];
  return [...said, paint('faint', '- expected  + received'), ...diffLines(diff ?? '', paint)];
}

function diffLines(diff: string, paint: Paint): readonly string[] {
  return diff.split('\n').map((line) => {
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

export function summaryText(cases: readonly RecordedCase[], ms: number, paint: Paint): string {
  const { passed, failed, skipped } = countsOf(cases);
  const spent = spentOn(cases);
  const judges = spentOnJudges(cases);
  const counts = [
    paint(failed === 0 ? 'good' : 'faint', `${passed} passed`),
    failed === 0 ? '0 failed' : paint('error', `${failed} failed`),
    ...(skipped === 0 ? [] : [paint('warning', `${skipped} skipped`)]),
  ].join(', ');
  const judged =
    judges.calls === 0 ? '' : `, and judges ${plural(judges.calls, 'call')} ${cost(judges.usd, judges.unpriced)}`;
  return `${counts}  ${paint('faint', `${plural(spent.calls, 'model call')} ${cost(spent.usd, spent.unpriced)}${judged} · ${duration(ms)}`)}`;
}

/** The same cases over several models, side by side, and the cases that differ. */
export function modelsText(
  cases: readonly RecordedCase[],
  models: readonly string[],
  columns: number | undefined,
): string {
  const rows = modelColumns(cases, models).map(({ model, counts, spent, medianMs, totalMs, judgedGood }) => {
    const ran = counts.passed + counts.failed > 0;
    return [
      model ?? '',
      passedText(counts),
      judgedGood === undefined ? '–' : `${Math.round(judgedGood * 100)} %`,
      ran ? cost(spent.usd, spent.unpriced) : '–',
      ran ? tokens(spent.input + spent.output) : '–',
      medianMs === undefined ? '–' : duration(medianMs),
      medianMs === undefined ? '–' : duration(totalMs),
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
      { title: 'ALL', align: 'right' },
    ],
    rows,
    columns,
  );
  const differing = comparedCases(cases, models)
    .filter(({ differs }) => differs)
    .map(({ name, results }) => {
      const passed = results.filter(({ state }) => state === 'passed').map(({ model }) => model);
      return `  ${name}: only ${passed.join(', ')}`;
    });
  return [...lines, ...(differing.length === 0 ? [] : ['', 'passed by some models only:', ...differing])].join('\n');
}

const passedText = ({ passed, failed, skipped }: TestHead['counts']): string =>
  `${passed} of ${passed + failed}${skipped === 0 ? '' : `, ${skipped} skipped`}`;

/** Results that are kept, newest first. */
export function resultsText(
  listed: readonly { readonly head: TestHead; readonly state: TestState }[],
  now: number,
  columns: number | undefined,
): string {
  const rows = listed.map(({ head: { id, startedAt, counts, spent, models, command }, state }) => [
    id,
    moment(startedAt, now),
    state === 'ended' ? passedText(counts) : `${passedText(counts)}, ${state}`,
    cost(spent.usd, spent.unpriced),
    models.length === 0 ? '–' : models.join(', '),
    command,
  ]);
  return table(
    [
      { title: 'ID' },
      { title: 'BEGAN' },
      { title: 'PASSED', align: 'right' },
      { title: 'COST', align: 'right' },
      { title: 'MODELS' },
      { title: 'COMMAND', flexible: true },
    ],
    rows,
    columns,
  ).join('\n');
}
