// What a record says was spent below each path, so that a budget goes on where it was. What a further message to a
// session cost counts below the path of that session too, which is where its budget stands.

import type { RunEvent } from '../journal/event.ts';
import { spentIn } from '../journal/spent.ts';
import { type OpPath, parentPath } from '../kernel/path.ts';
import { countedIn, countOf, type Spent } from '../kernel/usage.ts';
import type { Quote } from '../world/purse.ts';

const NOTHING: Quote = { usd: 0, tokens: 0 };
const nothing = (): Quote => NOTHING;

export function spentBelow(events: readonly RunEvent[]): (path: OpPath) => Quote {
  if (events.length === 0) return nothing;
  const sums = new Map<OpPath, { usd: number; tokens: number }>();
  /** The session that each message went to, by the path of the message. */
  const messages = new Map<OpPath, OpPath>();
  const above = (at: OpPath, found: Set<OpPath>): Set<OpPath> => {
    for (let path: OpPath | undefined = at; path !== undefined && !found.has(path); path = parentPath(path)) {
      found.add(path);
      const session = messages.get(path);
      if (session !== undefined) above(session, found);
    }
    return found;
  };
  const add = (at: OpPath, spent: Omit<Spent, 'model'>): void => {
    const { usd = 0, tokens } = countOf(spent);
    for (const path of above(at, new Set())) {
      const sum = sums.get(path) ?? { usd: 0, tokens: 0 };
      sum.usd += usd;
      sum.tokens += tokens;
      sums.set(path, sum);
    }
  };
  for (const event of events) {
    if (event.type === 'op-start' && event.op.kind === 'say') messages.set(event.path, event.op.session);
    for (const spent of spentIn(event)) if ('path' in event) add(event.path, spent);
    if (event.type === 'op-end' && event.kind === 'model' && !event.result.ok)
      add(event.path, countedIn(event.result.fault));
  }
  return (path) => sums.get(path) ?? NOTHING;
}
