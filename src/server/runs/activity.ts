// The activity of the runs that this process works on, in words.

import type { RunId } from '../../journal/event.ts';
import { doingNow, rankWithRoot } from '../../views/progress/doing-now.ts';
import { type ProgressFold, progressFold } from '../../views/progress/progress.ts';
import { isAtWork } from '../../views/progress/session-counts.ts';
import type { RunActivity } from '../context.ts';

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
