// The cases of branches, and what led to a run, in words, for terminals, the page and protocols.

import type { Trigger } from '../kernel/effect.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { triggerPlace } from './item-words.ts';

/** Undefined for an outcome that came through no branch. */
export function caseWords({ cases }: Pick<Outcome, 'cases'>): string | undefined {
  if (cases === undefined) return undefined;
  return `${cases.length === 1 ? 'case' : 'cases'} ${cases.join(', ')}`;
}

/** The trigger of a run in words: `next, case refund`, `judge, round 2 of 4`, `each, item 3 of 20`. */
export const triggerWords = (trigger: Pick<Trigger, 'kind' | 'case' | 'index' | 'count' | 'round' | 'of'>): string =>
  [trigger.kind, trigger.case === undefined ? undefined : `case ${trigger.case}`, triggerPlace(trigger)]
    .filter((part) => part !== undefined)
    .join(', ');

/** The cases for which nobody ran: the answer of the agent itself stands. */
export const casesThatStood = ({
  cases = [],
  children,
}: {
  readonly cases?: readonly string[];
  readonly children: readonly { readonly case?: string }[];
}): readonly string[] => cases.filter((one) => !children.some((child) => child.case === one));
