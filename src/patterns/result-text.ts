// The text that a parent reads about the end of a child, whichever way it ran it.

import { isBroken, type Outcome } from '../kernel/outcome.ts';

/** The answer, or why there is none and the partial output. */
export function resultText(outcome: Outcome): string {
  if (!isBroken(outcome)) return 'text' in outcome ? outcome.text : '';
  return withPartial(outcome.fault.message, outcome.partial);
}

export const withPartial = (why: string, partial: string | undefined): string =>
  partial === undefined ? why : `${why}\n\nPartial output:\n\n${partial}`;
