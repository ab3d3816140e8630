// The ops of two runs side by side: the same, another answer, another request, or on one side only. Pure.

import type { InstantOp, OpEnd, OpStart, RunEvent } from '../../../../src/journal/event.ts';
import { opWords } from '../../../../src/journal/op-words.ts';

export type OpFate = 'same' | 'other answer' | 'other request' | 'ends differently' | 'only left' | 'only right';

export interface ComparedOp {
  readonly path: string;
  readonly what: string;
  readonly left?: number;
  readonly right?: number;
  readonly fate: OpFate;
}

interface Op {
  readonly start: OpStart | InstantOp;
  readonly end?: OpEnd;
}

function opsOf(events: readonly RunEvent[]): ReadonlyMap<string, Op> {
  const ops = new Map<string, Op>();
  for (const event of events) {
    if (event.type === 'op-start' && !ops.has(event.path)) ops.set(event.path, { start: event });
    else if (event.type === 'op-end') {
      const known = ops.get(event.path);
      if (known !== undefined) ops.set(event.path, { ...known, end: event });
    }
  }
  return ops;
}

const took = (op: Op | undefined): number | undefined => (op?.end === undefined ? undefined : op.end.at - op.start.at);

/** What was asked, without what differs between any two runs: times, costs and the correlation of helpers. */
const asked = ({ start }: Op): string =>
  JSON.stringify('op' in start ? start.op : start, (key, value: unknown) =>
    key === 'correlation_id' ? undefined : value,
  );

const answered = ({ end }: Op): string =>
  JSON.stringify(end?.result, (key, value: unknown) => (key === 'spent' || key === 'duration_ms' ? undefined : value));

/** In the order of the left run, then what only the right one has. */
export function comparedOps(left: readonly RunEvent[], right: readonly RunEvent[]): readonly ComparedOp[] {
  const [ours, theirs] = [opsOf(left), opsOf(right)];
  const both = [...ours].map(([path, op]): ComparedOp => {
    const other = theirs.get(path);
    return row(path, op, other, other === undefined ? 'only left' : fateOf(op, other));
  });
  const rest = [...theirs].filter(([path]) => !ours.has(path));
  return [...both, ...rest.map(([path, op]) => ({ ...row(path, op, undefined, 'only right'), ...swapped(op) }))];
}

function row(path: string, op: Op, other: Op | undefined, fate: OpFate): ComparedOp {
  const [mine, yours] = [took(op), took(other)];
  return {
    path,
    what: opWords(op.start),
    ...(mine !== undefined && { left: mine }),
    ...(yours !== undefined && { right: yours }),
    fate,
  };
}

const swapped = (op: Op): { readonly left?: number; readonly right?: number } => {
  const mine = took(op);
  return mine === undefined ? {} : { right: mine };
};

function fateOf(op: Op, other: Op): OpFate {
  if (asked(op) !== asked(other)) return 'other request';
  if (answered(op) === answered(other)) return 'same';
  return 'op' in op.start && op.start.op.kind === 'run' ? 'ends differently' : 'other answer';
}

/** A text in pieces: what both sides share, and what differs between. */
export interface Pieces {
  readonly before: string;
  readonly differs: string;
  readonly after: string;
}

/** Where two texts differ: from the first word that is another one to the last. */
export function differing(left: string, right: string): readonly [Pieces, Pieces] {
  const same: Pieces = { before: left, differs: '', after: '' };
  if (left === right) return [same, same];
  const least = Math.min(left.length, right.length);
  let head = 0;
  while (head < least && left[head] === right[head]) head++;
  while (head > 0 && /\w/.test(left[head - 1] ?? '')) head--;
  let tail = 0;
  while (tail < least - head && left[left.length - 1 - tail] === right[right.length - 1 - tail]) tail++;
  while (tail > 0 && /\w/.test(left[left.length - tail] ?? '')) tail--;
  const cut = (text: string): Pieces => ({
    before: text.slice(0, head),
    differs: text.slice(head, text.length - tail),
    after: text.slice(text.length - tail),
  });
  return [cut(left), cut(right)];
}
