// The part of a session that a compaction sums up, in words.

import type { CompactedTurns } from '../kernel/effect.ts';

/** `turns 1 to 8` */
export function replacedWords({ from, to, messages }: CompactedTurns): string {
  if (to < from || to < 1) return `${messages} earlier messages`;
  return from === to ? `turn ${from}` : `turns ${Math.max(1, from)} to ${to}`;
}
