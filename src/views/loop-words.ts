// The end of a loop in words, for terminals, the page and protocols.

import type { Outcome } from '../kernel/outcome.ts';
import { plural } from './amounts.ts';

/** Undefined for an outcome that no loop gave. */
export function loopWords(outcome: Outcome): string | undefined {
  const { rounds } = outcome;
  if (rounds === undefined) return undefined;
  if (outcome.kind !== 'answered') return `after ${plural(rounds, 'round')}`;
  return outcome.unmet ? `unmet: not found good in ${plural(rounds, 'round')}` : `good in round ${rounds}`;
}

/** Undefined but for an answer that no judge found good. */
export const unmetWords = (outcome: Outcome): string | undefined =>
  outcome.kind === 'answered' && outcome.unmet === true ? loopWords(outcome) : undefined;
