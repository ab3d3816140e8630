// The activity of a session, in words, and the rank by which a person wants to see sessions. The terminal and the page
// say the same. The words may hold characters that a terminal must not get: the printer makes them harmless.

import { plural } from '../amounts.ts';
import { countedRounds, itemWords } from '../step-words.ts';
import type { SessionWait } from './activity.ts';
import type { SessionProgress } from './progress.ts';

/** The answer to a person who asks "what is it doing?". */
export function doingNow(session: SessionProgress): string {
  const { refused } = session;
  return refused === 0 ? words(session) : `${words(session)}, ${refused} refused`;
}

/** The items say more than the names of those that work on them. */
function words(session: SessionProgress): string {
  const { items, loop, activity } = session;
  const waits = activity.kind === 'waiting' && activity.for === 'others';
  const isOver = activity.kind === 'failed' || (activity.kind === 'done' && activity.waits !== 'still');
  const parts = waits && items !== undefined && items.atWork > 0 ? [] : [activityWords(session)];
  if (items !== undefined) parts.push(itemWords(items));
  if (loop !== undefined) parts.push(countedRounds(loop, isOver));
  return parts.join(', ');
}

function activityWords({ activity, retries, verdict }: SessionProgress): string {
  const tried = retries > 0 ? ` (${plural(retries, 'retry').replace('retrys', 'retries')})` : '';
  switch (activity.kind) {
    case 'thinking':
      return `${activity.sumsUp === true ? 'sums up its work' : 'thinks'}${tried}`;
    case 'calling':
      return `calls ${listed(activity.tools)}`;
    case 'waiting':
      return activity.for === 'person' ? `asks you: ${activity.asks}` : waitWords(activity);
    case 'done':
      if (verdict !== undefined) return verdict.good ? 'good' : `not good: ${beginning(verdict.why)}`;
      return activity.waits === undefined ? activity.outcome : TEAM_WAITS[activity.waits];
    case 'failed':
      return `${activity.outcome}: ${beginning(activity.fault.message)}`;
  }
}

const TEAM_WAITS = { still: 'waits', 'to-the-end': 'waited to the end' } as const;

/** The name of a session among others: that of its agent or of its spawn, and its place in a list or in a loop. */
export const sessionName = ({ agent, label, place }: SessionProgress): string =>
  [label ?? agent, place].filter((part) => part !== undefined).join(' ');

/** The same in few words: `writes`, `calls read_file`, `waits for desk`. */
export function briefDoing({ activity, snippet }: SessionProgress): string {
  switch (activity.kind) {
    case 'thinking':
      if (activity.sumsUp === true) return 'sums up';
      return snippet === '' ? 'thinks' : 'writes';
    case 'calling':
      return `calls ${[...new Set(activity.tools)].join(', ')}`;
    case 'waiting':
      if (activity.for === 'person') return 'waits for you';
      return activity.for === 'others' ? `waits for ${few(activity.names)}` : 'queued';
    case 'done':
      return activity.waits === undefined ? activity.outcome : TEAM_WAITS[activity.waits];
    case 'failed':
      return activity.outcome;
  }
}

function waitWords({ for: what, names }: SessionWait): string {
  switch (what) {
    case 'others':
      return `waits for ${listed(names) || 'others'}`;
    case 'queue':
      return 'queued behind other runs';
    case 'slot':
      return 'waits for a free model slot';
    case 'provider':
      return `waits for a free slot of ${listed(names)}`;
    case 'tools':
      return `waits for ${listed(names) || 'its tools'} to start`;
  }
}

/** More than these are counted. */
const FEW = 3;

const few = (names: readonly string[]): string =>
  names.length > FEW ? `${names.length} others` : listed(names) || 'others';

/** Each name once, with its count. */
function listed(names: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, count]) => (count > 1 ? `${name} ×${count}` : name)).join(', ');
}

/** The most that any screen shows in a row that is redrawn often. */
const beginning = (text: string): string => text.slice(0, 2000).replaceAll(/\s+/g, ' ').trim();

/** Low comes first: who waits for a person, who is writing, who is at work, what failed, who waits, who is done. */
export function rankOf({ activity, snippet }: SessionProgress, index: number): number {
  if (index === 0) return 0;
  if (activity.kind === 'waiting') return activity.for === 'person' ? 1 : 5;
  if (activity.kind === 'calling' || activity.kind === 'thinking') return snippet === '' ? 3 : 2;
  return activity.kind === 'failed' ? 4 : 6;
}

/** The same where the run's own session says less than one below it that is at work, unless it asks a person. */
export const rankWithRoot = (session: SessionProgress, index: number, root: number): number =>
  index === 0 && !asksPerson(session) ? root : rankOf(session, asksPerson(session) ? 0 : index);

const asksPerson = ({ activity }: SessionProgress): boolean => activity.kind === 'waiting' && activity.for === 'person';

/** The most telling sessions, at most `room`, in tree order. */
export function mostTelling(sessions: readonly SessionProgress[], room: number): readonly SessionProgress[] {
  if (sessions.length <= room) return sessions;
  return sessions
    .map((session, index) => ({ session, index, rank: rankOf(session, index) }))
    .sort((left, right) => left.rank - right.rank || later(left.session, right.session) || left.index - right.index)
    .slice(0, room)
    .sort((left, right) => left.index - right.index)
    .map(({ session }) => session);
}

/** Sorts those that have ended, the latest first. */
const later = (left: SessionProgress, right: SessionProgress): number => (right.endedAt ?? 0) - (left.endedAt ?? 0);
