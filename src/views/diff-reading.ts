// The ops of a run as a comparison reads them: what each was asked and answered, without what differs between any two runs.

import type { RestingWork } from '../base/text/steps.ts';
import type { InstantOp, ModelDetail, OpEnd, OpResult, OpStart, RunEvent, RunStart } from '../journal/event.ts';
import type { SessionRef } from '../kernel/effect.ts';
import type { Outcome } from '../kernel/outcome.ts';
import type { OpPath } from '../kernel/path.ts';

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

export interface RecordedOp {
  readonly path: OpPath;
  readonly begin: OpStart | InstantOp;
  end?: OpEnd;
}

export interface RunReading {
  readonly start: RunStart | undefined;
  readonly ops: ReadonlyMap<OpPath, RecordedOp>;
  readonly outcome: Outcome | null;
}

export function* readOps(events: readonly RunEvent[]): RestingWork<RunReading> {
  const named = unnamed(events);
  const ops = new Map<OpPath, RecordedOp>();
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

/** The part that a session's requests have in common. Only the first of them records it. */
type Standing = Pick<ModelDetail, 'system' | 'tools'>;
function inFull(event: OpStart | InstantOp, standing: Map<SessionRef, Standing>): OpStart | InstantOp {
  if (event.type === 'op' || event.op.kind !== 'model') return event;
  const before = standing.get(event.op.session);
  const { system = before?.system, tools = before?.tools, ...rest } = event.op;
  const now = { ...(system !== undefined && { system }), ...(tools && { tools }) };
  standing.set(rest.session, now);
  return { ...event, op: { ...rest, ...now } };
}

/**
 * The request of an op, without the parts that differ between any two runs: times, costs and the correlation of
 * helpers.
 */
export function askedOf({ begin }: RecordedOp): unknown {
  if (begin.type === 'op') return withoutTimes({ kind: begin.kind, detail: begin.detail });
  return begin.op.kind === 'model' || begin.op.kind === 'tool' ? begin.op : withoutTimes(begin.op);
}

export function answerOf({ begin, end }: RecordedOp): unknown {
  if (begin.type === 'op') return begin.kind === 'clock' ? undefined : withoutTimes(begin.value);
  if (end === undefined) return undefined;
  const { result } = end;
  if (!result.ok || end.kind !== 'model') return withoutTimes(valueOf(result));
  return (result.value as { readonly message?: unknown }).message;
}

const valueOf = (result: OpResult): unknown => (result.ok ? result.value : { fault: result.fault });

/** Leaves out what differs between any two runs. */
export function withoutTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutTimes);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => !TIMED.test(key))
      .map(([key, one]) => [key, withoutTimes(one)]),
  );
}

const TIMED = /(^at|At|_at|_ms)$|^(timestamp|deadline|correlation_id)$/;

export const isEqual = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);

/** Ops around others. They end as those within them did, so they are no steps of their own. */
export function pathsAround(...sides: readonly RunReading[]): ReadonlySet<OpPath> {
  const around = new Set<OpPath>();
  for (const { ops } of sides)
    for (const path of ops.keys())
      for (let end = path.lastIndexOf('.'); end > 0; end = path.lastIndexOf('.', end - 1))
        around.add(path.slice(0, end));
  return around;
}
