// The outcome of a run, as a person writes it on the command line.

import type { RunEnding } from '../../journal/prune.ts';
import { fail } from '../../kernel/fault.ts';

const ENDINGS: readonly RunEnding[] = [
  'answered',
  'exhausted',
  'over-budget',
  'timed-out',
  'cancelled',
  'failed',
  'broken-off',
];

export const endingOf = (given: string): RunEnding =>
  ENDINGS.find((one) => one === given) ?? fail('usage', `--outcome takes ${ENDINGS.join(', ')}, not "${given}".`);
