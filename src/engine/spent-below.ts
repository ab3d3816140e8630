// What a record says was spent below each path, so that a budget goes on where it was.

import type { RunEvent } from '../journal/event.ts';
import { spentIn } from '../journal/spent.ts';
import { type OpPath, parentPath } from '../kernel/path.ts';
import type { Spent } from '../kernel/usage.ts';
import type { Quote } from '../world/purse.ts';

const NOTHING: Quote = { usd: 0, tokens: 0 };
const nothing = (): Quote => NOTHING;

export function spentBelow(events: readonly RunEvent[]): (path: OpPath) => Quote {
  if (events.length === 0) return nothing;
  const sums = new Map<OpPath, { usd: number; tokens: number }>();
  const add = (at: OpPath, { usd = 0, usage }: Spent): void => {
    for (let path: OpPath | undefined = at; path !== undefined; path = parentPath(path)) {
      const sum = sums.get(path) ?? { usd: 0, tokens: 0 };
      sum.usd += usd;
      sum.tokens += (usage?.input ?? 0) + (usage?.output ?? 0);
      sums.set(path, sum);
    }
  };
  for (const event of events) {
    for (const spent of spentIn(event)) if ('path' in event) add(event.path, spent);
  }
  return (path) => sums.get(path) ?? NOTHING;
}
