// The spending below each path by the record, so that a budget continues where it was: a fold of the run's events. A
// session counts once something is recorded below it: one that was refused has nothing there. The cost of a further
// message to a session also counts below the path of that session, because its budget is there.

import type { RunEvent } from '../journal/event.ts';
import { spentIn } from '../journal/spent.ts';
import type { ModelReply } from '../kernel/effect.ts';
import { type OpPath, parentPath } from '../kernel/path.ts';
import { type Count, countedIn, countOf } from '../kernel/usage.ts';
import type { RecordedSpending } from '../world/run-budget.ts';
import type { Fold } from '../world/state/projection.ts';

const NOTHING: RecordedSpending = { usd: 0, tokens: 0 };

export const openSpentBelow = (): SpentBelow => new SpentBelow();

interface CountBelow extends Count {
  readonly sessions?: number;
}

const ONE_SESSION: CountBelow = { tokens: 0, sessions: 1 };

export class SpentBelow implements Fold {
  readonly #sums = new Map<OpPath, { usd: number; tokens: number; sessions?: number; reminded?: boolean }>();
  /** The session that each message went to, by the path of the message. */
  readonly #messages = new Map<OpPath, OpPath>();

  /** Sessions whose beginning is recorded, and nothing below it. */
  readonly #beginning = new Set<OpPath>();

  below(path: OpPath): RecordedSpending {
    return this.#sums.get(path) ?? NOTHING;
  }

  add(event: RunEvent): void {
    if (this.#beginning.size > 0 && 'path' in event) this.#begin(event.path);
    switch (event.type) {
      case 'op-start':
        if (event.op.kind === 'say') this.#messages.set(event.path, event.op.session);
        if (event.op.kind === 'run') this.#beginning.add(event.path);
        return;
      case 'attempt':
        return this.#count(event.path, countOf(event.spent));
      case 'op-end':
        this.#beginning.delete(event.path);
        if (event.kind !== 'model') return;
        for (const spent of spentIn(event)) this.#count(event.path, countOf(spent));
        if (!event.result.ok) return this.#count(event.path, countOf(countedIn(event.result.fault)));
        return this.#remind(event.result.value as ModelReply);
      default:
    }
  }

  /** Something was recorded at this path, so the session above it has begun. */
  #begin(path: OpPath): void {
    for (let above = parentPath(path); above !== undefined; above = parentPath(above))
      if (this.#beginning.delete(above)) return this.#count(above, ONE_SESSION);
  }

  #remind({ reminder }: ModelReply): void {
    if (reminder !== undefined) for (const path of reminder.of) this.#sum(path).reminded = true;
  }

  /** Sums are kept for the paths above a call, because nothing is below it. */
  #count(call: OpPath, count: CountBelow): void {
    if (count.tokens === 0 && (count.usd ?? 0) === 0 && count.sessions === undefined) return;
    const above = parentPath(call);
    if (this.#messages.size > 0) {
      for (const path of this.#above(above, new Set())) this.#addTo(path, count);
      return;
    }
    for (let path = above; path !== undefined; path = parentPath(path)) this.#addTo(path, count);
  }

  #addTo(path: OpPath, { usd = 0, tokens, sessions = 0 }: CountBelow): void {
    const sum = this.#sum(path);
    sum.usd += usd;
    sum.tokens += tokens;
    if (sessions > 0) sum.sessions = (sum.sessions ?? 0) + sessions;
  }

  #sum(path: OpPath) {
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
