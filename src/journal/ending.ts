// The end of a run. Only an undo comes after it.

import type { RunEnd, RunEvent } from './event.ts';

/** Undefined for a run that has not ended. */
export function runEndOf(events: readonly RunEvent[]): RunEnd | undefined {
  const last = events.findLast(({ type }) => type !== 'undo');
  return last?.type === 'run-end' ? last : undefined;
}
