// The words of a box of the graph: its state, its agent's activity, and its figures. Pure.

import type { SessionRef } from '../../../../src/kernel/effect.ts';
import { duration } from '../../../../src/views/amounts.ts';
import { type GraphLoop, roundWords } from '../../../../src/views/graph-loops.ts';
import type { GraphItem } from '../../../../src/views/graph-maps.ts';
import { briefDoing } from '../../../../src/views/progress/doing-now.ts';
import type { SessionProgress } from '../../../../src/views/progress/progress.ts';
import { countWords, groupOf, isBadGroup, type SessionGroup } from '../../../../src/views/progress/session-counts.ts';
import type { GraphNodeState, GraphState } from '../../../../src/views/run-graph.ts';
import { itemWords } from '../../../../src/views/step-words.ts';
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
  /** The loop of the agent: a cell for each answer that it may give, and `round 2 of 4`. */
  readonly loop?: { readonly cells: readonly LoopCell[]; readonly words: string };
  readonly items?: BoxItems;
}

/** The items of the maps that an agent runs for. */
export interface BoxItems {
  /** None of very many: `parts` says enough. */
  readonly cells: readonly ItemCell[];
  readonly parts: readonly { readonly cell: Exclude<ItemCell, 'none'>; readonly share: number }[];
  /** `7 of 20` */
  readonly answered: string;
}

export type ItemCell = 'good' | 'bad' | 'asks' | 'live' | 'none';

export type LoopCell = 'good' | 'back' | 'live' | 'none';

const STATES: Partial<Readonly<Record<SessionGroup, StateName>>> = {
  'at work': 'running',
  asking: 'person',
};

export const stateOfGroup = (group: SessionGroup): StateName => STATES[group] ?? (group as StateName);

/** `isOver`: no process works on the run, so what was under way is in doubt. */
export function boxWords(name: string, state: GraphState, moment: Moment): BoxWords {
  const { nodes, loops } = state;
  const node = nodes.get(name);
  const words =
    node === undefined
      ? NOT_REACHED
      : { ...nodeWords(node, moment), ...loopOf(node, loops.get(name)), ...itemsOf(name, state, moment) };
  const verdict = lastVerdict(name, loops, moment);
  if (verdict === undefined || (node !== undefined && isOpenGroup(node))) return words;
  return { ...words, state: verdict.state, doing: verdict.words, quote: verdict.why };
}

const NOT_REACHED: BoxWords = { state: 'none', doing: 'not reached', quote: '', calls: '', cost: '', time: '' };

const isOpenGroup = ({ state }: GraphNodeState): boolean =>
  state === 'at work' || state === 'asking' || state === 'waiting' || state === 'queued';

/** The latest finding of a judge: an agent, or a command, which has no session. */
function lastVerdict(name: string, loops: GraphState['loops'], { isOver }: Moment) {
  const loop = [...loops.values()].findLast(({ judge }) => judge === name);
  const { good, why = '' } = loop?.rounds.at(-1) ?? {};
  if (loop === undefined) return undefined;
  const round = `round ${loop.rounds.length}`;
  if (good === undefined && isOver) return { state: 'in-doubt', words: 'in doubt', why } as const;
  if (good === undefined) return { state: 'running', words: `judges ${round}`, why } as const;
  return good
    ? ({ state: 'answered', words: `good in ${round}`, why } as const)
    : ({ state: 'sent-back', words: `not good in ${round}`, why } as const);
}

/** More rounds than this have no cells: the words say enough. */
const MOST_CELLS = 20;

function loopOf(node: GraphNodeState, loop: GraphLoop | undefined): Pick<BoxWords, 'loop'> {
  if (loop === undefined) return {};
  const cells = Array.from({ length: loop.of > MOST_CELLS ? 0 : loop.of }, (_, index): LoopCell => {
    const round = loop.rounds[index];
    if (round === undefined) return 'none';
    if (round.good === undefined) return 'live';
    return round.good ? 'good' : 'back';
  });
  return { loop: { cells, words: roundWords(loop, isOpenGroup(node)) } };
}

/** More items than this are a bar with their counts. */
const MOST_ITEMS = 40;

function itemsOf(name: string, { items, nodes }: GraphState, { isOver }: Moment): Partial<BoxWords> {
  const all = items.get(name);
  if (all === undefined) return {};
  const sessions = [...nodes.values()].flatMap((node) => node.sessions);
  const asking = sessions.filter((one) => groupOf(one) === 'asking').map(({ session }) => session);
  const cells = all.map((item) => cellOf(item, asking));
  const count = (cell: ItemCell): number => cells.filter((one) => one === cell).length;
  const said = [
    itemWords({ count: all.length, answered: count('good'), failed: count('bad') }),
    ...(count('asks') > 0 ? [`${count('asks')} ${count('asks') === 1 ? 'asks' : 'ask'} you`] : []),
    ...(count('live') > 0 ? [`${count('live')} ${isOver ? 'in doubt' : 'at work'}`] : []),
  ];
  return {
    doing: said.join(', '),
    items: {
      cells: all.length > MOST_ITEMS ? [] : cells,
      parts: PARTS.map((cell) => ({ cell, share: count(cell) / all.length })),
      answered: `${count('good')} of ${all.length}`,
    },
  };
}

/** The rest of the bar is of those that have not begun. */
const PARTS = ['good', 'bad', 'asks', 'live'] as const;

/** An item asks a person when its agent does, or one below it. */
function cellOf({ op = '', state }: GraphItem, asking: readonly SessionRef[]): ItemCell {
  if (state === 'open') return asking.some((one) => one === op || one.startsWith(`${op}.`)) ? 'asks' : 'live';
  return state === 'answered' ? 'good' : state === 'failed' ? 'bad' : 'none';
}

function nodeWords(node: GraphNodeState, { now, isOver }: Moment): BoxWords {
  const { sessions, own } = node;
  const inDoubt = isOver && isOpenGroup(node) && sessions.some(({ endedAt }) => endedAt === undefined);
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
