// The op at which two runs part: the first one, in the order in which the left run recorded it, that the other one
// asked for or was answered differently. Times and costs alone do not count as a difference.

import { atOnce, type RestingWork } from '../../base/text/steps.ts';
import type { RunEvent, RunId, RunStart } from '../../journal/event.ts';
import { opWords } from '../../journal/op-words.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { Outcome } from '../../kernel/outcome.ts';
import { comparePaths, type OpPath } from '../../kernel/path.ts';
import { ledgerFold, type Totals } from '../costs/ledger.ts';
import {
  answerOf,
  askedOf,
  isEqual,
  pathsAround,
  type RecordedOp,
  type RunReading,
  readOps,
  withoutTimes,
} from '../diff-reading.ts';

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
  /** Steps that are the same on both sides before they part: ops, without those around others. */
  readonly common: number;
  /** Undefined where the runs are the same throughout. */
  readonly parting: Divergence | undefined;
}

export function diffRuns(left: readonly RunEvent[], right: readonly RunEvent[]): RunDiff {
  return atOnce(diffSteps(left, right));
}

/** The same, for long runs. */
export function* diffSteps(left: readonly RunEvent[], right: readonly RunEvent[]): RestingWork<RunDiff> {
  const one = yield* readOps(left);
  const other = yield* readOps(right);
  const { parting, common } = yield* firstParting(left, one, other);
  return {
    left: yield* sideOf(one, left),
    right: yield* sideOf(other, right),
    changed: changedTexts(one.start, other.start),
    common,
    parting: inputParting(one.start, other.start) ?? parting ?? outcomeParting(one, other),
  };
}

/** Compares event by event, in the order of the left run: the request where an op begins, its answer where it ends. */
function* firstParting(
  events: readonly RunEvent[],
  left: RunReading,
  right: RunReading,
): RestingWork<{ readonly parting: Divergence | undefined; readonly common: number }> {
  const same = new Set<OpPath>();
  const around = pathsAround(left, right);
  for (const event of events) {
    yield;
    if (!('path' in event) || event.type === 'attempt' || event.type === 'intent') continue;
    const op = left.ops.get(event.path) as RecordedOp;
    const parting = event.type === 'op-end' ? afterwards(op, right) : beforehand(op, left, right);
    if (parting !== undefined) return { parting, common: same.size };
    if (event.type !== 'op-start' && !around.has(event.path)) same.add(event.path);
  }
  const extra = [...right.ops.values()].find(({ path }) => !left.ops.has(path));
  return { parting: extra && partingAt(extra, 'missing', undefined, shown(extra)), common: same.size };
}

function beforehand(op: RecordedOp, left: RunReading, right: RunReading): Divergence | undefined {
  const other = right.ops.get(op.path);
  if (other === undefined) return instead(op.path, left, right) ?? partingAt(op, 'missing', shown(op), undefined);
  const asked = [askedOf(op), askedOf(other)] as const;
  if (!isEqual(...asked)) return partingAt(op, 'asked', ...asked);
  return op.begin.type === 'op' ? afterwards(op, right) : undefined;
}

function afterwards(op: RecordedOp, right: RunReading): Divergence | undefined {
  const other = right.ops.get(op.path);
  const answered = [answerOf(op), other && answerOf(other)] as const;
  return isEqual(...answered) ? undefined : partingAt(op, 'answered', ...answered);
}

/** If the right run lacks an op, it may have done something else before that in the tree. */
function instead(limit: OpPath, left: RunReading, right: RunReading): Divergence | undefined {
  const extra = [...right.ops.values()].find(({ path }) => !left.ops.has(path) && comparePaths(path, limit) < 0);
  return extra && partingAt(extra, 'missing', undefined, shown(extra));
}

function partingAt(op: RecordedOp, kind: Divergence['kind'], left: unknown, right: unknown): Divergence {
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

const shown = (op: RecordedOp): unknown => ({ asked: askedOf(op), answered: answerOf(op) });

function inputParting(left: RunStart | undefined, right: RunStart | undefined): Divergence | undefined {
  const asked = (start: RunStart | undefined): unknown =>
    start && { agent: start.agent, input: start.input, contract: start.contract };
  if (isEqual(asked(left), asked(right))) return undefined;
  return { kind: 'input', left: asked(left), right: asked(right) };
}

function outcomeParting(left: RunReading, right: RunReading): Divergence | undefined {
  if (isEqual(withoutTimes(left.outcome), withoutTimes(right.outcome))) return undefined;
  return { kind: 'outcome', left: left.outcome ?? undefined, right: right.outcome ?? undefined };
}

function changedTexts(left: RunStart | undefined, right: RunStart | undefined): readonly string[] {
  const [one, other] = [left?.texts ?? {}, right?.texts ?? {}];
  return [...new Set([...Object.keys(one), ...Object.keys(other)])].filter((file) => one[file] !== other[file]).sort();
}

function* sideOf({ start, ops, outcome }: RunReading, events: readonly RunEvent[]): RestingWork<Side> {
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

/**
 * If one side has a fault and the other a reply, these are two texts: there is nothing in one that could be marked as
 * different in the other.
 */
export function partingTexts({ left, right }: Divergence): readonly [string, string] | undefined {
  return faultIn(left) === undefined && faultIn(right) === undefined ? undefined : [toldBy(left), toldBy(right)];
}

const faultIn = (value: unknown): Fault | undefined =>
  typeof value === 'object' && value !== null && 'fault' in value ? (value.fault as Fault) : undefined;

function toldBy(value: unknown): string {
  const fault = faultIn(value);
  if (fault !== undefined) return `${fault.message} (${fault.code})`;
  if (value === undefined) return '';
  const { text } = value as { readonly text?: unknown };
  return typeof text === 'string' && text !== '' ? text : JSON.stringify(value, null, 2);
}
