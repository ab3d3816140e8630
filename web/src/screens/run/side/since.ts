// When what a session does now began. Pure.

import type { SessionProgress } from '../../../../../src/views/progress/progress.ts';
import type { Extent } from '../../../data/folded.ts';

/**
 * The number of events that are searched backwards: a session whose last turn began before them has been at it for very
 * long.
 */
const FAR = 3000;

/** The beginning of its last turn, or of its question to a person after it; else of the session. */
export function sinceOf({ events, count }: Extent, { session, startedAt, activity }: SessionProgress): number {
  const asks = activity.kind === 'waiting' && activity.for === 'person';
  for (let index = count - 1; index >= Math.max(0, count - FAR); index--) {
    const event = events[index];
    if (event?.type !== 'op-start') continue;
    const { op, path } = event;
    if (op.kind === 'model' ? op.session === session : asks && op.kind === 'approval' && path.startsWith(`${session}.`))
      return event.at;
  }
  return startedAt;
}
