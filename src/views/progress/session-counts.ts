// The number of sessions of a run, by their activity. Every screen counts with this: a session is at work while its
// model thinks or writes or a tool is called; one that waits for others, or for its turn, is not.

import type { OutcomeKind } from '../../kernel/fault.ts';
import type { SessionProgress } from './progress.ts';

/** The subjects of a count. Those that people must see come first. */
const ORDER = [
  'failed',
  'timed-out',
  'exhausted',
  'over-budget',
  'asking',
  'at work',
  'queued',
  'waiting',
  'answered',
  'routed',
  'left',
  'waited',
  'cancelled',
  'skipped',
] as const;
export type SessionGroup = (typeof ORDER)[number];

export type SessionCounts = ReadonlyMap<SessionGroup, number>;

type SessionActivity = Pick<SessionProgress, 'activity'>;

export function groupOf({ activity }: SessionActivity): SessionGroup {
  switch (activity.kind) {
    case 'thinking':
    case 'calling':
      return 'at work';
    case 'waiting':
      return activity.for === 'person' ? 'asking' : activity.for === 'others' ? 'waiting' : 'queued';
    case 'done':
      if (activity.waits !== undefined) return activity.waits === 'still' ? 'waiting' : 'waited';
      return outcomeGroup(activity.outcome);
    case 'failed':
      return activity.outcome === 'skipped' ? 'skipped' : outcomeGroup(activity.outcome);
  }
}

const outcomeGroup = (outcome: OutcomeKind): SessionGroup => ORDER.find((group) => group === outcome) ?? 'failed';

export const isAtWork = (session: SessionActivity): boolean => groupOf(session) === 'at work';

/** It has not ended. */
export const isOpen = (session: SessionActivity): boolean => OPEN.has(groupOf(session));

const OPEN: ReadonlySet<SessionGroup> = new Set(['asking', 'at work', 'queued', 'waiting']);

export const isBadGroup = (group: SessionGroup): boolean => ORDER.indexOf(group) < ORDER.indexOf('asking');

/** Groups of which there are none are left out. */
export function countSessions(sessions: readonly SessionActivity[]): SessionCounts {
  const counts = new Map<SessionGroup, number>();
  for (const session of sessions) counts.set(groupOf(session), (counts.get(groupOf(session)) ?? 0) + 1);
  return new Map(ORDER.flatMap((group) => (counts.has(group) ? [[group, counts.get(group) ?? 0] as const] : [])));
}

/** `1 failed`, `8 at work`, `3 wait`: in the order of what people must see. */
export const countWords = (counts: SessionCounts): readonly string[] =>
  [...counts].map(([group, count]) => `${count} ${wordOf(group, count)}`);

function wordOf(group: SessionGroup, count: number): string {
  if (group === 'waiting') return count === 1 ? 'waits' : 'wait';
  if (group === 'asking') return count === 1 ? 'asks you' : 'ask you';
  return group === 'waited' ? 'waited to the end' : group;
}
