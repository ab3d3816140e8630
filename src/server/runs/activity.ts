// What the runs that this process works on are doing now, in words.

import type { RunEvent, RunId } from '../../journal/event.ts';
import type { Watcher } from '../../run/bus.ts';
import { doingNow, rankWithRoot } from '../../views/progress/doing-now.ts';
import { type ProgressFold, progressFold } from '../../views/progress/progress.ts';
import { isAtWork } from '../../views/progress/session-counts.ts';

export interface RunActivity {
  observe(run: RunId, recorded: readonly RunEvent[]): Watcher;
  /** Nothing in it is at work: it waits for a person, or for its turn. */
  isIdle(run: RunId): boolean;
  /** Its first event is in the store. */
  isRecorded(run: RunId): boolean;
  /** The run is over, or another process works on it. */
  forget(run: RunId): void;
  /** `front-desk: thinking`. Undefined if the run is not at work here. */
  of(run: RunId): string | undefined;
}

export function openRunActivity(): RunActivity {
  const folds = new Map<RunId, ProgressFold>();
  const recordedRuns = new Set<RunId>();
  return {
    observe(run, recorded) {
      const fold = progressFold();
      for (const event of recorded) fold.add(event);
      folds.set(run, fold);
      if (recorded.length > 0) recordedRuns.add(run);
      return {
        event(event) {
          recordedRuns.add(run);
          fold.add(event);
        },
      };
    },
    isIdle: (run) => !(folds.get(run)?.now().sessions ?? []).some(isAtWork),
    isRecorded: (run) => recordedRuns.has(run),
    forget(run) {
      folds.delete(run);
      recordedRuns.delete(run);
    },
    of(run) {
      const sessions = folds.get(run)?.now().sessions ?? [];
      const [telling] = sessions
        .map((session, index) => ({
          session,
          rank: rankWithRoot(session, index, sessions.length > 1 ? ROOT_RANK : 0),
        }))
        .sort((one, other) => one.rank - other.rank);
      if (telling === undefined) return undefined;
      const { agent, activity } = telling.session;
      const words = doingNow(telling.session);
      if (activity.kind !== 'waiting' || activity.for !== 'person') return `${agent}: ${words}`;
      return telling.session === sessions[0] ? words : `${agent} ${words}`;
    },
  };
}

/** The run's own session says less than one below it that is at work. */
const ROOT_RANK = 4.5;
