// A loop in words, for terminals, the page and protocols: where it is, and its end.

import type { Outcome } from '../kernel/outcome.ts';
import { plural } from './amounts.ts';

/** The rounds of a loop so far. */
export interface LoopCount {
  /** The answers that were judged. */
  readonly rounds: number;
  /** The most answers. */
  readonly of: number;
  /** The last one was not good. */
  readonly isNotGood: boolean;
}

/** `round 2 of 4` while another answer may follow, then `2 rounds`. */
export const countedRounds = ({ rounds, of, isNotGood }: LoopCount, isOver: boolean): string =>
  isNotGood && rounds < of && !isOver ? `round ${rounds + 1} of ${of}` : plural(rounds, 'round');

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
