// The activity of the runs that this process works on, in words.

import type { RunEvent, RunId } from '../journal/event.ts';
import type { Watcher } from '../run/bus.ts';
import { doingNow, rankWithRoot } from '../views/progress/doing-now.ts';
import { type ProgressFold, progressFold, type SessionProgress } from '../views/progress/progress.ts';
import { isAtWork } from '../views/progress/session-counts.ts';

export class RunActivity {
  readonly #folds = new Map<RunId, ProgressFold>();
  readonly #recorded = new Set<RunId>();

  observe(run: RunId, recorded: readonly RunEvent[]): Watcher {
    const fold = progressFold();
    const add = (event: RunEvent): void => {
      this.#recorded.add(run);
      fold.add(event);
    };
    for (const event of recorded) add(event);
    this.#folds.set(run, fold);
    return { event: add };
  }

  /** Nothing in it is at work: it waits for a person, or for its turn. */
  isIdle(run: RunId): boolean {
    return !this.#sessions(run).some(isAtWork);
  }

  /** Its first event is in the store. */
  isRecorded(run: RunId): boolean {
    return this.#recorded.has(run);
  }

  /** The run is over, or another process works on it. */
  forget(run: RunId): void {
    this.#folds.delete(run);
    this.#recorded.delete(run);
  }

  /** `front-desk: thinking`. Undefined if the run is not at work here. */
  of(run: RunId): string | undefined {
    const sessions = this.#sessions(run);
    const [telling] = sessions
      .map((session, index) => ({ session, rank: rankWithRoot(session, index, sessions.length > 1 ? ROOT_RANK : 0) }))
      .sort((one, other) => one.rank - other.rank);
    if (telling === undefined) return undefined;
    const { agent, activity } = telling.session;
    const words = doingNow(telling.session);
    if (activity.kind !== 'waiting' || activity.for !== 'person') return `${agent}: ${words}`;
    return telling.session === sessions[0] ? words : `${agent} ${words}`;
  }

  #sessions(run: RunId): readonly SessionProgress[] {
    return this.#folds.get(run)?.now().sessions ?? [];
  }
}

/** The run's own session says less than one below it that is at work. */
const ROOT_RANK = 4.5;
