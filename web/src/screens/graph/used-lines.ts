// The lines of the graph that have been used, and those that just were. Pure.

import type { GraphEdgeState } from '../../../../src/views/run-graph.ts';
import type { Line } from './picture.ts';

/** So long after it was used a line is drawn thick. */
const JUST_MS = 2000;

interface UsedLine extends Line {
  readonly state: 'just' | 'used' | 'unused';
  readonly lastAt: number;
}

/** `now`: the moment that is looked at; undefined: a run that is over, of which nothing just happened. */
export function usedLines(
  lines: readonly Line[],
  edges: readonly GraphEdgeState[],
  now: number | undefined,
): readonly UsedLine[] {
  return lines.map((line) => {
    const beside = lines.filter((other) => isSameWay(other, line));
    const uses = edges.filter((edge) => isSameWay(edge, line) && (beside.length === 1 || isCaseOf(line, edge, beside)));
    if (uses.length === 0) return { ...line, state: 'unused', lastAt: 0 };
    const lastAt = Math.max(...uses.map((edge) => edge.lastAt));
    return { ...line, state: now !== undefined && now - lastAt < JUST_MS ? 'just' : 'used', lastAt };
  });
}

const isSameWay = (one: Way, other: Way): boolean =>
  one.from === other.from && one.to === other.to && one.kind === other.kind;

type Way = Pick<Line, 'from' | 'to' | 'kind'>;

/** Cases of a branch may lead to one agent. A value without a line of its own went along `otherwise`. */
function isCaseOf(line: Line, { case: taken, instead }: GraphEdgeState, beside: readonly Line[]): boolean {
  if (taken === undefined) return true;
  const ending = instead ? ' else' : '';
  const isNamed = beside.some((other) => isLabelled(other, `${taken}${ending}`));
  return isLabelled(line, isNamed ? `${taken}${ending}` : `otherwise${ending}`);
}

/** `next refund`, and in a sequence `next 2 refund`. */
const isLabelled = ({ kind, label }: Line, words: string): boolean =>
  label === `${kind} ${words}` || label.replace(/^(\S+) \d+ /, '$1 ') === `${kind} ${words}`;
