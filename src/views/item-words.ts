// The items of a map in words, for terminals, the page and protocols: `7 of 20 items, 4 at work, 1 failed`. And the place
// of a run in a list or in a loop.

import type { Trigger } from '../kernel/effect.ts';
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
