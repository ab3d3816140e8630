// The bars of a row: what was done when, each with its words. Pure. Times are those of the journal; a bar without an end
// goes on now.

import type { Broadcast } from '../../../../../src/kernel/effect.ts';
import type { FaultCode } from '../../../../../src/kernel/fault.ts';
import type { OpPath } from '../../../../../src/kernel/path.ts';
import { duration } from '../../../../../src/views/amounts.ts';
import { replacedWords } from '../../../../../src/views/replaced-words.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';
import type { OpNode } from '../../../../../src/views/tree/op-tree.ts';
import { partsOf, type Row } from './rows.ts';
import { share, type TimeWindow } from './time-window.ts';

export type BarKind =
  | 'model'
  | 'tool'
  | 'failed'
  | 'pause'
  | 'waits'
  | 'queued'
  | 'person'
  | 'doubt'
  | 'cancelled'
  | 'span'
  | 'after'
  | 'post'
  | 'mark';

export interface Bar {
  readonly kind: BarKind;
  readonly from: number;
  /** Undefined: it goes on. */
  readonly to: number | undefined;
  readonly words: string;
  /** A number in a dot: a broadcast. */
  readonly label?: string;
}

export interface BarSource {
  facts(path: OpPath): OpFacts | undefined;
  /** When the run began: times in words count from there. */
  readonly start: number;
  /** When the last event came: a call in doubt ends there. */
  readonly last: number;
  /** The time at which runs that waited for this one began, by path. */
  dependents(path: OpPath): number | undefined;
}

export function barsOf(row: Row, source: BarSource): readonly Bar[] {
  switch (row.kind) {
    case 'agent':
    case 'say':
      return agentBars(row, source);
    case 'turn':
      return [...turnBars(row.node, source), ...row.hidden.flatMap((child) => opBars(child, source))];
    case 'op':
    case 'instant':
      return opBars(row.node, source);
    case 'group':
      return [];
  }
}

/** A run that got its turn at once was not queued: a share of the whole time. */
const LEAST_QUEUED = 0.012;

function agentBars(row: Row, source: BarSource): readonly Bar[] {
  const { node, hidden } = row;
  const bars: Bar[] = [];
  if (node.spawnedAt !== undefined) {
    const begun = node.beganAt ?? node.startedAt;
    const ready = node.waitedUntil ?? node.spawnedAt;
    if (node.waitedUntil !== undefined)
      bars.push(bar('waits', node.spawnedAt, node.waitedUntil, 'waits for others', source));
    if (begun - ready > LEAST_QUEUED * (source.last - source.start))
      bars.push(bar('queued', ready, begun, 'queued', source));
  }
  const who = node.agent ?? '';
  bars.push(bar('span', row.startedAt, row.endedAt, `the run of ${who}`, source));
  for (const child of hidden) bars.push(...hiddenBars(child, source));
  const then = source.dependents(node.path);
  if (then !== undefined && row.endedAt !== undefined && then > row.endedAt)
    bars.push(bar('after', row.endedAt, then, 'another run began after it', source));
  return bars;
}

/** The bars of what has no row of its own. Agents below it have one, and a further message continues that of its session. */
function hiddenBars(node: OpNode, source: BarSource): readonly Bar[] {
  if (node.kind === 'turn')
    return [...turnBars(node, source), ...partsOf(node).flatMap((part) => opBars(part, source))];
  return opBars(node, source);
}

function turnBars(turn: OpNode, source: BarSource): readonly Bar[] {
  const model = turn.children.find((child) => child.kind === 'model');
  const facts = model && source.facts(model.path);
  if (model === undefined || facts === undefined) return [];
  const name = `turn ${turn.turn}`;
  const bars: Bar[] = [];
  let from = facts.startedAt;
  for (const { at, ms, then, fault, number } of facts.attempts) {
    bars.push(bar('failed', at - ms, at, `${name}, attempt ${number} failed: ${fault.code}`, source));
    const pause = then.kind === 'retry' ? then.delayMs : 0;
    if (pause > 0) bars.push(bar('pause', at, at + pause, `${name}, pause before another try`, source));
    from = at + pause;
  }
  const gaveUp = facts.attempts.at(-1)?.then.kind === 'give-up';
  if (gaveUp) return bars;
  if (model.state === 'in-doubt')
    return [...bars, bar('doubt', from, source.last, `${name}, model call in doubt`, source)];
  return [
    ...bars,
    bar(
      facts.result?.ok === false ? brokenBar(facts.result.fault.code) : 'model',
      from,
      facts.endedAt,
      `${name}, model call`,
      source,
    ),
  ];
}

/** `turns 1 to 8` */
export const summedUp = ({ replaces }: OpNode): string =>
  replaces === undefined ? 'its work' : replacedWords(replaces);

/** A call that somebody ended has not failed. */
const brokenBar = (code: FaultCode): BarKind => (code === 'cancelled' ? 'cancelled' : 'failed');

function opBars(node: OpNode, source: BarSource): readonly Bar[] {
  const to = node.state === 'in-doubt' ? source.last : node.endedAt;
  const doubt = node.state === 'in-doubt';
  switch (node.kind) {
    case 'tool': {
      const isCancelled = node.state === 'cancelled' || node.fault?.code === 'cancelled';
      const kind = doubt ? 'doubt' : isCancelled ? 'cancelled' : node.state === 'failed' ? 'failed' : 'tool';
      return [bar(kind, node.startedAt, to, `${node.name}, tool call`, source)];
    }
    case 'compact': {
      const kind = doubt ? 'doubt' : node.fault === undefined ? 'model' : brokenBar(node.fault.code);
      return [bar(kind, node.startedAt, to, `sums up ${summedUp(node)}`, source)];
    }
    case 'approval':
      return [bar(doubt ? 'doubt' : 'person', node.startedAt, to, 'waits for a person', source)];
    case 'await-runs':
    case 'cancel-runs':
      return [bar('waits', node.startedAt, to, `waits for ${node.name}`, source)];
    case 'post': {
      const said = source.facts(node.path)?.instant?.value as Broadcast | undefined;
      if (said === undefined || said.refused !== undefined) return [];
      return [
        {
          ...bar('post', node.startedAt, node.startedAt, `broadcast ${said.number}`, source),
          label: String(said.number),
        },
      ];
    }
    case 'run':
    case 'say':
    case 'turn':
    case 'session':
    case 'model':
      return [];
    default:
      return [bar('mark', node.startedAt, node.startedAt, MARKS[node.kind] ?? node.kind, source)];
  }
}

const MARKS: Readonly<Record<string, string>> = {
  take: 'mail taken in',
  spawn: 'runs spawned',
  send: 'message sent',
  close: 'session closed',
};

function bar(kind: BarKind, from: number, to: number | undefined, what: string, { start }: BarSource): Bar {
  const took = to === undefined ? 'under way' : kind === 'post' || kind === 'mark' ? '' : duration(to - from);
  const began = `from +${((from - start) / 1000).toFixed(2)} s`;
  return { kind, from, to, words: [what, took, began].filter((part) => part !== '').join(', ') };
}

export interface Placed {
  readonly bar: Bar;
  /** The place in percent of the width. */
  readonly left: number;
  readonly width: number;
}

/** Bars of one kind closer than this share of the width are one: they could not be told apart. */
const MERGE = 0.12;

/** The bars that are seen, in percent. `now` is where bars that go on end. */
export function placed(bars: readonly Bar[], window: TimeWindow, now: number): readonly Placed[] {
  const { from, to } = window;
  const seen: Placed[] = [];
  const last = new Map<BarKind, number>();
  for (const bar of bars) {
    const end = bar.to ?? now;
    if (end < from || bar.from > to) continue;
    const left = share(Math.max(bar.from, from), window);
    const width = Math.max(0, share(Math.min(end, to), window) - left);
    const index = last.get(bar.kind);
    const before = index === undefined ? undefined : seen[index];
    if (before !== undefined && index !== undefined && canMerge(before, left, width)) {
      seen[index] = { ...before, width: Math.max(before.width, left + width - before.left) };
      continue;
    }
    last.set(bar.kind, seen.length);
    seen.push({ bar, left, width });
  }
  return seen;
}

/** Only bars that are narrower than a pixel or so are merged, with what is as near. */
const canMerge = (before: Placed, left: number, width: number): boolean =>
  before.bar.kind !== 'post' &&
  before.bar.kind !== 'span' &&
  width < MERGE &&
  before.width < MERGE * 8 &&
  left - (before.left + before.width) < MERGE;
