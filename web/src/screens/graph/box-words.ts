// The words of a box of the graph: its state, its agent's activity, and its figures. Pure.

import { duration } from '../../../../src/views/amounts.ts';
import { briefDoing } from '../../../../src/views/progress/doing-now.ts';
import type { SessionProgress } from '../../../../src/views/progress/progress.ts';
import { countWords, isBadGroup, type SessionGroup } from '../../../../src/views/progress/session-counts.ts';
import type { GraphNodeState } from '../../../../src/views/run-graph.ts';
import type { StateName } from '../../parts/state.tsx';
import { costText } from '../run/run-facts.ts';

export interface BoxWords {
  readonly state: StateName | 'none';
  readonly doing: string;
  /** Its own text so far, or its input. */
  readonly quote: string;
  readonly calls: string;
  readonly cost: string;
  readonly time: string;
}

const STATES: Partial<Readonly<Record<SessionGroup, StateName>>> = {
  'at work': 'running',
  asking: 'person',
};

export const stateOfGroup = (group: SessionGroup): StateName => STATES[group] ?? (group as StateName);

/** `isOver`: no process works on the run, so what was under way is in doubt. */
export function boxWords(node: GraphNodeState | undefined, { now, isOver }: Moment): BoxWords {
  if (node === undefined) return { state: 'none', doing: 'not reached', quote: '', calls: '', cost: '', time: '' };
  const { sessions, own } = node;
  const isOpen = node.state === 'at work' || node.state === 'asking' || node.state === 'waiting';
  const inDoubt = isOver && isOpen && sessions.some(({ endedAt }) => endedAt === undefined);
  return {
    state: inDoubt ? 'in-doubt' : stateOfGroup(node.state),
    doing: inDoubt ? 'in doubt' : doingOf(node),
    quote: quoteOf(sessions),
    calls: `${own.calls} call${own.calls === 1 ? '' : 's'}`,
    cost: own.calls === 0 ? '–' : costText(own),
    time: timeOf(sessions, now),
  };
}

export interface Moment {
  readonly now: number;
  readonly isOver: boolean;
}

/** Failed and refused come first. */
function doingOf({ sessions, counts, refused }: GraphNodeState): string {
  const [only] = sessions;
  const words = sessions.length === 1 && only !== undefined ? [briefDoing(only)] : countWords(counts);
  const failed = sessions.length === 1 ? 0 : [...counts.keys()].filter(isBadGroup).length;
  return refused === 0 ? words.join(', ') : words.toSpliced(failed, 0, `${refused} refused`).join(', ');
}

function quoteOf(sessions: readonly SessionProgress[]): string {
  const [only] = sessions;
  if (sessions.length !== 1 || only === undefined) return '';
  const { snippet, said, task = '' } = only;
  return snippet.trim() !== '' ? snippet.trim() : said !== undefined ? `#${said.number} ${said.text}` : task;
}

/** From when the first of them began until the last has ended. */
function timeOf(sessions: readonly SessionProgress[], now: number): string {
  const begun = sessions.filter(({ activity }) => activity.kind !== 'waiting' || activity.for !== 'queue');
  if (begun.length === 0) return '–';
  const from = Math.min(...begun.map(({ startedAt }) => startedAt));
  return duration(Math.max(0, Math.max(...begun.map(({ endedAt }) => endedAt ?? now)) - from));
}
