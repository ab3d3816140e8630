// How a run ended, as it is said on the command line.

import type { Ending } from '../journal/prune.ts';
import { fail } from '../kernel/fault.ts';

const ENDINGS: readonly Ending[] = [
  'answered',
  'exhausted',
  'over-budget',
  'timed-out',
  'cancelled',
  'failed',
  'broken-off',
];

export const endingOf = (given: string): Ending =>
  ENDINGS.find((one) => one === given) ?? fail('usage', `--outcome takes ${ENDINGS.join(', ')}, not "${given}".`);
