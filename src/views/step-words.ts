// The steps of a chain in words, for terminals, the page and protocols: the cases of branches, the items of a map (`7 of 20 items,
// 4 at work, 1 failed`), the rounds of a loop, and the place of a run in any of them.

import type { Trigger } from '../kernel/effect.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { plural } from './amounts.ts';

/** The items of a map by how they ended. An outcome has only the first two. */
export interface ItemCounts {
  readonly count: number;
  readonly answered: number;
  readonly failed: number;
  readonly atWork: number;
}

export function itemWords({
  count,
  answered,
  failed = 0,
  atWork = 0,
}: Partial<ItemCounts> & Pick<ItemCounts, 'count' | 'answered'>): string {
  const parts = [
    answered === count ? plural(count, 'item') : `${answered} of ${plural(count, 'item')}`,
    ...(atWork > 0 ? [`${atWork} at work`] : []),
    ...(failed > 0 ? [`${failed} failed`] : []),
  ];
  return parts.join(', ');
}

/** `item 3 of 20` for a run that a map began, `round 2 of 4` for one that judges an answer or gives the next one. */
export function triggerPlace(trigger: Pick<Trigger, 'index' | 'count' | 'round' | 'of'>): string | undefined {
  const { round, of } = trigger;
  return itemPlace(trigger) ?? (round === undefined || of === undefined ? undefined : `round ${round + 1} of ${of}`);
}

/** `item 3 of 20` for a run that a map began. */
export const itemPlace = ({ index, count }: Pick<Trigger, 'index' | 'count'>): string | undefined =>
  index === undefined || count === undefined ? undefined : `item ${index + 1} of ${count}`;

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
