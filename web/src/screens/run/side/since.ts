// When what a session does now began. Pure.

import type { SessionProgress } from '../../../../../src/views/progress/progress.ts';
import type { Extent } from '../../../data/folded.ts';

/**
 * The number of events that are searched backwards: a session whose last turn began before them has been at it for very
 * long.
 */
const FAR = 3000;

/** The beginning of its last turn, else of the session. */
export function sinceOf({ events, count }: Extent, { session, startedAt }: SessionProgress): number {
  for (let index = count - 1; index >= Math.max(0, count - FAR); index--) {
    const event = events[index];
    if (event?.type === 'op-start' && event.op.kind === 'model' && event.op.session === session) return event.at;
  }
  return startedAt;
}
