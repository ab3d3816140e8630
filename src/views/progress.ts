// What a live screen shows: each session with what it is doing now. Fed by journal events and by the deltas of
// streams, which are never recorded. A session's line is made again only when something about it changed.

import type { OpEnd, OpStart, RunEvent } from '../journal/event.ts';
import type { AgentName, SessionRef, TeamSeat, Trigger } from '../kernel/effect.ts';
import { type Fault, fault, type OutcomeKind } from '../kernel/fault.ts';
import { isBroken, type Outcome } from '../kernel/outcome.ts';
import { comparePaths, type OpPath, ROOT } from '../kernel/path.ts';
import type { SubagentResult } from '../kernel/subagent.ts';
import { callFold, type LedgerLine } from './calls.ts';
import { lineage, type Place } from './lineage.ts';
import { type Counter, count, counter, type Totals, totalsOf } from './totals.ts';

export type Activity =
  | { readonly kind: 'thinking' }
  | { readonly kind: 'calling'; readonly tools: readonly string[] }
  | { readonly kind: 'waiting'; readonly for: 'children'; readonly agents: readonly AgentName[] }
  | { readonly kind: 'waiting'; readonly for: 'person'; readonly prompt: string }
  /** `waits`: a participant that is done for this cycle of its team. */
  | { readonly kind: 'done'; readonly outcome: OutcomeKind; readonly waits?: true }
  | { readonly kind: 'failed'; readonly outcome: OutcomeKind; readonly fault: Fault };

export interface SessionProgress {
  readonly session: SessionRef;
  readonly agent: AgentName;
  readonly trigger: Trigger['kind'];
  /** Its place in a team. */
  readonly seat?: TeamSeat;
  /** How many runs are above this one. */
  readonly depth: number;
  /** 0 before the first model call. */
  readonly turn: number;
  readonly activity: Activity;
  readonly totals: Totals;
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The end of what the model is writing, or wrote last. */
  readonly snippet: string;
  /** Failed attempts that were followed by another. */
  readonly retries: number;
}

export interface Progress {
  readonly run: string;
  readonly startedAt: number;
  readonly totals: Totals;
  readonly outcome?: OutcomeKind;
  /** Every session that has begun, in tree order. */
  readonly sessions: readonly SessionProgress[];
}

export interface ProgressFold {
  add(event: RunEvent): void;
  /** Text that a model op, or a session, is writing. */
  delta(path: OpPath, text: string): void;
  now(): Progress;
}

export const SNIPPET = 240;

type Busy = Exclude<Activity, { kind: 'done' | 'failed' }>;

interface Desk {
  readonly place: Place;
  readonly depth: number;
  readonly startedAt: number;
  readonly spent: Counter;
  /** What is under way, by op. */
  readonly busy: Map<OpPath, Busy>;
  turn: number;
  retries: number;
  snippet: string;
  ended?: { readonly at: number; readonly activity: Activity } | undefined;
  line?: SessionProgress | undefined;
}

export function progressFold(): ProgressFold {
  const desks = new Map<SessionRef, Desk>();
  const runs = lineage();
  const all = counter();
  const calls = callFold((line) => charge(line), runs);
  let sorted: Desk[] | undefined;
  let run = '';
  let startedAt = 0;
  let outcome: OutcomeKind | undefined;

  const deskAt = (path: OpPath): Desk | undefined => change(desks.get(runs.above(path)?.session ?? ROOT));
  const charge = (line: LedgerLine): void => {
    count(all, line);
    const desk = change(desks.get(line.session) ?? deskAt(line.path));
    if (desk !== undefined) count(desk.spent, line);
  };
  const open = (place: Place | undefined, at: number): void => {
    if (place === undefined || desks.has(place.session)) return;
    desks.set(place.session, {
      place,
      depth: depthOf(place),
      startedAt: at,
      spent: counter(),
      busy: new Map(),
      turn: 0,
      retries: 0,
      snippet: '',
    });
    sorted = undefined;
  };
  const start = ({ path, at, op }: OpStart): void => {
    const desk = deskAt(path);
    const place = runs.at(path);
    desk?.busy.set(path, busyWith(op, place));
    if (op.kind === 'model' && desk !== undefined) [desk.turn, desk.snippet] = [op.turn, ''];
    if (op.kind === 'run' || op.kind === 'subagent') open(place, at);
    const again = op.kind === 'say' ? change(desks.get(op.session)) : undefined;
    if (again !== undefined) again.ended = undefined;
  };
  const end = (event: OpEnd): void => {
    deskAt(event.path)?.busy.delete(event.path);
    if (event.kind !== 'run' && event.kind !== 'say' && event.kind !== 'subagent') return;
    const desk = change(desks.get(runs.at(event.path)?.session ?? ''));
    if (desk !== undefined) desk.ended = { at: event.at, activity: endOf(event) };
  };
  const endRun = (at: number, ended: Outcome): void => {
    outcome = ended.kind;
    const desk = change(desks.get(ROOT));
    if (desk !== undefined) desk.ended = { at, activity: activityOf(ended) };
  };

  return {
    add(event) {
      calls.add(event);
      switch (event.type) {
        case 'run-start':
          [run, startedAt] = [event.run, event.at];
          return open(runs.at(ROOT), event.at);
        case 'op-start':
          return start(event);
        case 'op-end':
          return end(event);
        case 'attempt': {
          const desk = event.then.kind === 'give-up' ? undefined : deskAt(event.path);
          if (desk !== undefined) desk.retries++;
          return;
        }
        case 'run-resume':
          for (const desk of desks.values()) change(desk)?.busy.clear();
          return;
        case 'run-end':
          return endRun(event.at, event.outcome);
        default:
      }
    },
    delta(path, text) {
      const desk = change(desks.get(path) ?? deskAt(path));
      if (desk !== undefined) desk.snippet = (desk.snippet + text).slice(-SNIPPET);
    },
    now() {
      sorted ??= [...desks.values()].sort((left, right) => comparePaths(left.place.path, right.place.path));
      const sessions = sorted.map(lineOf);
      return { run, startedAt, totals: totalsOf(all), ...(outcome !== undefined && { outcome }), sessions };
    },
  };
}

function change(desk: Desk | undefined): Desk | undefined {
  if (desk !== undefined) desk.line = undefined;
  return desk;
}

function depthOf(place: Place): number {
  let depth = 0;
  for (let above = place.parent; above !== undefined; above = above.parent) depth++;
  return depth;
}

function lineOf(desk: Desk): SessionProgress {
  desk.line ??= {
    session: desk.place.session,
    agent: desk.place.agent,
    trigger: desk.place.trigger.kind,
    ...(desk.place.seat !== undefined && { seat: desk.place.seat }),
    depth: desk.depth,
    turn: desk.turn,
    activity: desk.ended?.activity ?? current([...desk.busy.values()]),
    totals: totalsOf(desk.spent),
    startedAt: desk.startedAt,
    ...(desk.ended !== undefined && { endedAt: desk.ended.at }),
    snippet: desk.snippet,
    retries: desk.retries,
  };
  return desk.line;
}

function busyWith(op: OpStart['op'], place: Place | undefined): Busy {
  switch (op.kind) {
    case 'model':
      return { kind: 'thinking' };
    case 'tool':
      return { kind: 'calling', tools: [op.call.name] };
    case 'signal':
      return { kind: 'waiting', for: 'person', prompt: op.prompt };
    case 'run':
    case 'say':
    case 'subagent':
      return { kind: 'waiting', for: 'children', agents: place === undefined ? [] : [place.agent] };
    case 'await-runs':
    case 'cancel-runs':
      return { kind: 'waiting', for: 'children', agents: [] };
  }
}

/** Of several things under way, what a person would want to know first. Nothing under way: about to think. */
function current(busy: readonly Busy[]): Activity {
  const person = busy.find((one) => one.kind === 'waiting' && one.for === 'person');
  if (person !== undefined) return person;
  const tools = busy.flatMap((one) => (one.kind === 'calling' ? one.tools : []));
  if (tools.length > 0) return { kind: 'calling', tools };
  const agents = busy.flatMap((one) => (one.kind === 'waiting' && one.for === 'children' ? one.agents : []));
  const waits = busy.length > 0 && busy.every((one) => one.kind === 'waiting');
  return waits ? { kind: 'waiting', for: 'children', agents } : { kind: 'thinking' };
}

function helperEnd({ record }: SubagentResult): Activity {
  if (record.status === 'success') return { kind: 'done', outcome: 'answered' };
  const outcome = record.status === 'timed_out' ? 'timed-out' : 'failed';
  const message = `The sub-agent ${outcome === 'failed' ? 'failed' : 'did not finish in time'}.`;
  return { kind: 'failed', outcome, fault: fault(outcome === 'failed' ? 'tool/failed' : 'timeout', message) };
}

function endOf({ kind, result }: OpEnd): Activity {
  if (result.ok && kind === 'subagent') return helperEnd(result.value as SubagentResult);
  if (result.ok) return activityOf(result.value as Outcome);
  return { kind: 'failed', outcome: 'failed', fault: result.fault };
}

const activityOf = (outcome: Outcome): Activity =>
  isBroken(outcome)
    ? { kind: 'failed', outcome: outcome.kind, fault: outcome.fault }
    : { kind: 'done', outcome: outcome.kind, ...('broadcast' in outcome && { waits: true as const }) };
