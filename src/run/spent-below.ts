// What was spent below each path by the record, so that a budget continues where it was: a fold of the run's events.
// The cost of a further message to a session also counts below the path of that session, because its budget is there.

import type { RunEvent } from '../journal/event.ts';
import { spentIn } from '../journal/spent.ts';
import type { ModelReply } from '../kernel/effect.ts';
import { type OpPath, parentPath } from '../kernel/path.ts';
import { type Count, countedIn, countOf } from '../kernel/usage.ts';
import type { RecordedSpending } from '../world/state/budgets.ts';
import type { Fold } from '../world/state/projection.ts';

export interface SpentBelow extends Fold {
  below(path: OpPath): RecordedSpending;
}

const NOTHING: RecordedSpending = { usd: 0, tokens: 0 };

export const openSpentBelow = (): SpentBelow => new Sums();

interface Sum {
  usd: number;
  tokens: number;
  reminded?: boolean;
}

class Sums implements SpentBelow {
  readonly #sums = new Map<OpPath, Sum>();
  /** The session that each message went to, by the path of the message. */
  readonly #messages = new Map<OpPath, OpPath>();

  below(path: OpPath): RecordedSpending {
    return this.#sums.get(path) ?? NOTHING;
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case 'op-start':
        if (event.op.kind === 'say') this.#messages.set(event.path, event.op.session);
        return;
      case 'attempt':
        return this.#count(event.path, countOf(event.spent));
      case 'op-end':
        if (event.kind !== 'model' && event.kind !== 'subagent') return;
        for (const spent of spentIn(event)) this.#count(event.path, countOf(spent));
        if (event.kind !== 'model') return;
        if (!event.result.ok) return this.#count(event.path, countOf(countedIn(event.result.fault)));
        return this.#remind(event.result.value as ModelReply);
      default:
    }
  }

  #remind({ reminder }: ModelReply): void {
    if (reminder !== undefined) for (const path of reminder.of) this.#sum(path).reminded = true;
  }

  /** Sums are kept for the paths above a call, because nothing is below it. */
  #count(call: OpPath, count: Count): void {
    if (count.tokens === 0 && (count.usd ?? 0) === 0) return;
    const above = parentPath(call);
    if (this.#messages.size > 0) {
      for (const path of this.#above(above, new Set())) this.#addTo(path, count);
      return;
    }
    for (let path = above; path !== undefined; path = parentPath(path)) this.#addTo(path, count);
  }

  #addTo(path: OpPath, { usd = 0, tokens }: Count): void {
    const sum = this.#sum(path);
    sum.usd += usd;
    sum.tokens += tokens;
  }

  #sum(path: OpPath): Sum {
    let sum = this.#sums.get(path);
    if (sum === undefined) {
      sum = { usd: 0, tokens: 0 };
      this.#sums.set(path, sum);
    }
    return sum;
  }

  #above(from: OpPath | undefined, found: Set<OpPath>): Set<OpPath> {
    for (let path = from; path !== undefined && !found.has(path); path = parentPath(path)) {
      found.add(path);
      const session = this.#messages.get(path);
      if (session !== undefined) this.#above(session, found);
    }
    return found;
  }
}
