// The exit codes, as `cadre help exit-codes` prints them.

import { EXIT } from '../kernel/fault.ts';

const MEANINGS: readonly (readonly [number, string, string])[] = [
  [EXIT.answered, 'answered', 'the run has an answer, or the command did what was asked'],
  [EXIT.failed, 'failed', 'a fault, whose code and stage are on stderr; or check found errors, or replay a difference'],
  [EXIT.usage, '–', 'the command line was not understood, or the input is missing; nothing was run'],
  [EXIT.exhausted, 'exhausted', 'the turns were spent without an answer'],
  [EXIT.overBudget, 'over-budget', 'a budget was reached'],
  [EXIT.timedOut, 'timed-out', 'a deadline passed'],
  [EXIT.cancelled, 'cancelled', 'a person ended it: Ctrl+C twice, or SIGTERM'],
];

export const exitCodes = (): string =>
  [
    'Exit code, outcome and meaning. Only "answered" is a success.',
    '',
    ...MEANINGS.map(([code, word, means]) => `  ${String(code).padStart(3)}  ${word.padEnd(11)}  ${means}`),
    '',
    'Partial output of a run that did not answer is printed on stderr, never on stdout.',
  ].join('\n');
