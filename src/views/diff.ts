// Where two runs part: the first op, in the order in which the left run recorded it, that the other one asked for or
// was answered differently. Times and costs alone do not count as a difference.

import { atOnce, type RestingWork } from '../base/text/steps.ts';
import type { InstantOp, OpDetail, OpEnd, OpResult, OpStart, RunEvent, RunId, RunStart } from '../journal/event.ts';
import { opWords } from '../journal/op-words.ts';
import type { AgentName, SessionRef } from '../kernel/effect.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { comparePaths, type OpPath } from '../kernel/path.ts';
import { ledgerFold, type Totals } from './costs/ledger.ts';

export interface Side {
  readonly run: RunId;
  readonly agent: AgentName;
  /** Null while the run has not ended. */
  readonly outcome: Outcome | null;
  readonly totals: Totals;
  readonly ops: number;
  readonly forkedFrom?: RunStart['forkedFrom'];
}

/** `asked`: another request; `answered`: the same request, another answer; `missing`: one side has no such op. */
export interface Divergence {
  readonly kind: 'input' | 'asked' | 'answered' | 'missing' | 'outcome';
  readonly path?: OpPath;
  readonly what?: string;
  readonly agent?: AgentName;
  readonly turn?: number;
  /** Both sides. A side that has nothing there is undefined. */
  readonly left: unknown;
  readonly right: unknown;
}

export interface RunDiff {
  readonly left: Side;
  readonly right: Side;
  /** Agent texts that are not the same, by file. */
  readonly changed: readonly string[];
  /** Ops that are the same on both sides before they part. */
  readonly common: number;
  /** Undefined where the runs are the same throughout. */
  readonly parting: Divergence | undefined;
}

export function diffRuns(left: readonly RunEvent[], right: readonly RunEvent[]): RunDiff {
  return atOnce(diffSteps(left, right));
}

/** The same, for long runs. */
export function* diffSteps(left: readonly RunEvent[], right: readonly RunEvent[]): RestingWork<RunDiff> {
  const one = yield* read(left);
  const other = yield* read(right);
  const { parting, common } = yield* firstParting(left, one, other);
  return {
    left: yield* sideOf(one, left),
    right: yield* sideOf(other, right),
    changed: changedTexts(one.start, other.start),
    common,
    parting: inputParting(one.start, other.start) ?? parting ?? outcomeParting(one, other),
  };
}

/** Reduces ids that are made of the run's own (`<run>~<path>`, `<run>:<path>`) to the place alone. */
function unnamed([first]: readonly RunEvent[]): (event: RunEvent) => RunEvent {
  const run = first?.type === 'run-start' ? first.run : '';
  return (event) => {
    if (run === '' || event.type === 'run-start') return event;
    const text = JSON.stringify(event);
    return text.includes(run)
      ? (JSON.parse(text.replaceAll(`${run}~`, '~').replaceAll(`${run}:`, ':')) as RunEvent)
      : event;
  };
}

interface Op {
  readonly path: OpPath;
  readonly begin: OpStart | InstantOp;
  end?: OpEnd;
}

interface Reading {
  readonly start: RunStart | undefined;
  readonly ops: ReadonlyMap<OpPath, Op>;
  readonly outcome: Outcome | null;
}

function* read(events: readonly RunEvent[]): RestingWork<Reading> {
  const named = unnamed(events);
  const ops = new Map<OpPath, Op>();
  const standing = new Map<SessionRef, Standing>();
  let start: RunStart | undefined;
  let outcome: Outcome | null = null;
  for (const recorded of events) {
    yield;
    const event = named(recorded);
    if (event.type === 'run-start') start = event;
    else if (event.type === 'run-end') outcome = event.outcome;
    else if (event.type === 'op-end') {
      const op = ops.get(event.path);
      if (op !== undefined) op.end = event;
    } else if ((event.type === 'op-start' || event.type === 'op') && !ops.has(event.path)) {
      ops.set(event.path, { path: event.path, begin: inFull(event, standing) });
    }
  }
  return { start, ops, outcome };
}

/** What a session's requests have in common. Only the first of them records it. */
type Standing = Pick<ModelDetail, 'system' | 'tools'>;
type ModelDetail = Extract<OpDetail, { kind: 'model' }>;

function inFull(event: OpStart | InstantOp, standing: Map<SessionRef, Standing>): OpStart | InstantOp {
  if (event.type === 'op' || event.op.kind !== 'model') return event;
  const before = standing.get(event.op.session);
  const { system = before?.system, tools = before?.tools, ...rest } = event.op;
  const now = { ...(system !== undefined && { system }), ...(tools && { tools }) };
  standing.set(rest.session, now);
  return { ...event, op: { ...rest, ...now } };
}

/** Compares event by event, in the order of the left run: the request where an op begins, its answer where it ends. */
function* firstParting(events: readonly RunEvent[], left: Reading, right: Reading): RestingWork<Found> {
  const same = new Set<OpPath>();
  for (const event of events) {
    yield;
    if (!('path' in event) || event.type === 'attempt' || event.type === 'intent') continue;
    const op = left.ops.get(event.path) as Op;
    const parting = event.type === 'op-end' ? afterwards(op, right) : beforehand(op, left, right);
    if (parting !== undefined) return { parting, common: same.size };
    if (event.type !== 'op-start') same.add(event.path);
  }
  const extra = [...right.ops.values()].find(({ path }) => !left.ops.has(path));
  return { parting: extra && partingAt(extra, 'missing', undefined, shown(extra)), common: same.size };
}

interface Found {
  readonly parting: Divergence | undefined;
  readonly common: number;
}

function beforehand(op: Op, left: Reading, right: Reading): Divergence | undefined {
  const other = right.ops.get(op.path);
  if (other === undefined) return instead(op.path, left, right) ?? partingAt(op, 'missing', shown(op), undefined);
  const asked = [askedOf(op), askedOf(other)] as const;
  if (!isEqual(...asked)) return partingAt(op, 'asked', ...asked);
  return op.begin.type === 'op' ? afterwards(op, right) : undefined;
}

function afterwards(op: Op, right: Reading): Divergence | undefined {
  const other = right.ops.get(op.path);
  const answered = [answerOf(op), other && answerOf(other)] as const;
  return isEqual(...answered) ? undefined : partingAt(op, 'answered', ...answered);
}

/** Where the right run lacks an op, it may have done something else before that in the tree. */
function instead(limit: OpPath, left: Reading, right: Reading): Divergence | undefined {
  const extra = [...right.ops.values()].find(({ path }) => !left.ops.has(path) && comparePaths(path, limit) < 0);
  return extra && partingAt(extra, 'missing', undefined, shown(extra));
}

function partingAt(op: Op, kind: Divergence['kind'], left: unknown, right: unknown): Divergence {
  const detail = op.begin.type === 'op-start' ? op.begin.op : undefined;
  return {
    kind,
    path: op.path,
    what: opWords(op.begin),
    ...(detail !== undefined && 'agent' in detail && { agent: detail.agent }),
    ...(detail?.kind === 'model' && { turn: detail.turn }),
    left,
    right,
  };
}

const shown = (op: Op): unknown => ({ asked: askedOf(op), answered: answerOf(op) });

function askedOf({ begin }: Op): unknown {
  if (begin.type === 'op') return untimed({ kind: begin.kind, detail: begin.detail });
  return begin.op.kind === 'model' || begin.op.kind === 'tool' ? begin.op : untimed(begin.op);
}

function answerOf({ begin, end }: Op): unknown {
  if (begin.type === 'op') return begin.kind === 'clock' ? undefined : untimed(begin.value);
  if (end === undefined) return undefined;
  const { result } = end;
  if (!result.ok || end.kind !== 'model') return untimed(valueOf(result));
  return (result.value as { readonly message?: unknown }).message;
}

const valueOf = (result: OpResult): unknown => (result.ok ? result.value : { fault: result.fault });

/** Leaves out what differs between any two runs. */
function untimed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(untimed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !TIMED.test(key))
      .map(([key, one]) => [key, untimed(one)]),
  );
}

const TIMED = /(^at|At|_at|_ms)$|^(timestamp|deadline|correlation_id)$/;

const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

function inputParting(left: RunStart | undefined, right: RunStart | undefined): Divergence | undefined {
  const asked = (start: RunStart | undefined): unknown =>
    start && { agent: start.agent, input: start.input, contract: start.contract };
  if (isEqual(asked(left), asked(right))) return undefined;
  return { kind: 'input', left: asked(left), right: asked(right) };
}

function outcomeParting(left: Reading, right: Reading): Divergence | undefined {
  if (isEqual(untimed(left.outcome), untimed(right.outcome))) return undefined;
  return { kind: 'outcome', left: left.outcome ?? undefined, right: right.outcome ?? undefined };
}

function changedTexts(left: RunStart | undefined, right: RunStart | undefined): readonly string[] {
  const [one, other] = [left?.texts ?? {}, right?.texts ?? {}];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((file) => one[file] !== other[file]).sort();
}

function* sideOf({ start, ops, outcome }: Reading, events: readonly RunEvent[]): RestingWork<Side> {
  const book = ledgerFold();
  for (const event of events) {
    book.add(event);
    yield;
  }
  book.settle();
  const { totals } = yield* book.ledgerSteps();
  return {
    run: start?.run ?? '',
    agent: start?.agent ?? '',
    outcome,
    totals,
    ops: ops.size,
    ...(start?.forkedFrom && { forkedFrom: start.forkedFrom }),
  };
}
