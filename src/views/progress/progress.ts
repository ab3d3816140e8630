// What a live screen shows: each session with what it is doing now, spawned runs that have not started among them. Fed
// by journal events and by what is told between them, which is never recorded. A session's line is made again only when
// something about it changed.

import type { InstantOp, OpEnd, OpStart, RunEvent } from '../../journal/event.ts';
import type { AgentName, Broadcast, SessionRef, TeamSeat, Trigger } from '../../kernel/effect.ts';
import type { OutcomeKind } from '../../kernel/fault.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { childPath, comparePaths, type OpPath, ROOT } from '../../kernel/path.ts';
import { endState, type SpawnId, spawnedSession } from '../../kernel/spawned.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import { type LedgerLine, ledgerLineFold } from '../costs/calls.ts';
import { type Counter, count, counter, type Totals, totalsOf } from '../costs/totals.ts';
import { type AgentRun, lineage } from '../lineage.ts';
import { senderOf } from '../talk/team-talk.ts';
import { acceptedSpawns, spawnNames } from '../tree/spawn-names.ts';
import {
  type Activity,
  activityOf,
  type Busy,
  busyWith,
  current,
  endOf,
  type SessionWait,
  waitingFor,
} from './activity.ts';
import { type CallTally, callTallyFold } from './call-tally.ts';

export type { Activity } from './activity.ts';

export interface SessionProgress {
  readonly session: SessionRef;
  readonly agent: AgentName;
  readonly trigger: Trigger['kind'];
  /** Its place in a team. */
  readonly seat?: TeamSeat;
  /** The label that the session that spawned it gave it. */
  readonly label?: string;
  /** The beginning of what it was asked, on one line, if another agent asked it. */
  readonly task?: string;
  /** How many runs are above this one. */
  readonly depth: number;
  /** 0 before the first model call. */
  readonly turn: number;
  readonly activity: Activity;
  readonly totals: Totals;
  /** For a spawned run that has not started: when it was spawned. */
  readonly startedAt: number;
  readonly endedAt?: number;
  /** The end of what the model is writing, or wrote last. */
  readonly snippet: string;
  /** What it last told its team: the number of the broadcast, and its beginning on one line. */
  readonly said?: { readonly number: number; readonly text: string };
  /** Failed attempts that were followed by another. */
  readonly retries: number;
  /** Calls that were not made. */
  readonly refused: number;
}

export interface Progress {
  readonly run: string;
  readonly startedAt: number;
  /** The totals of the whole run so far. */
  readonly totals: Totals;
  /** The calls of tools that came to nothing so far. */
  readonly calls: CallTally;
  readonly outcome?: OutcomeKind;
  /** Every session that has begun, and every spawned run that waits, in tree order. */
  readonly sessions: readonly SessionProgress[];
}

export interface ProgressFold {
  add(event: RunEvent): void;
  /** Text that a model op, or a session, is writing. */
  delta(path: OpPath, text: string): void;
  /** A model op, or a session, waits for something until `waited` arrives. */
  waiting(path: OpPath, what: Exclude<SessionWait['for'], 'others' | 'queue'>, names: readonly string[]): void;
  waited(path: OpPath): void;
  now(): Progress;
}

export const SNIPPET = 240;
const TASK = 120;

interface Desk {
  readonly session: SessionRef;
  readonly agent: AgentName;
  readonly trigger: Trigger['kind'];
  readonly seat?: TeamSeat | undefined;
  readonly label?: string | undefined;
  readonly depth: number;
  readonly spent: Counter;
  /** What is under way, by op. */
  readonly busy: Map<OpPath, Busy>;
  /** Runs that it spawned and that work beside it. */
  readonly beside: Map<OpPath, string>;
  /** For a spawned run that has not started: the runs that it waits for, or none if it is queued. */
  pending?: { readonly run: SpawnId; readonly after: readonly SpawnId[] } | undefined;
  task: string;
  startedAt: number;
  turn: number;
  retries: number;
  refused: number;
  snippet: string;
  said?: SessionProgress['said'];
  ended?: { readonly at: number; readonly activity: Activity } | undefined;
  line?: SessionProgress | undefined;
}

type Opening = Pick<Desk, 'session' | 'agent' | 'trigger' | 'seat' | 'label' | 'depth' | 'pending'>;

/** `snippet` is how many characters are kept of what a session writes. */
export function progressFold(snippet: number = SNIPPET): ProgressFold {
  const desks = new Map<SessionRef, Desk>();
  const runs = lineage();
  const names = spawnNames();
  const over = new Set<SpawnId>();
  /** Who waits for runs, by op. */
  const awaiting = new Map<OpPath, Desk>();
  const spawned = new Map<SpawnId, Desk>();
  /** What ops and sessions wait for. This may be told before the event that begins them. */
  const waits = new Map<OpPath, SessionWait>();
  const all = counter();
  const calls = ledgerLineFold((line) => charge(line), runs);
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
  const tally = callTallyFold(runs, ({ reply }) => {
    const desk = deskAt(reply);
    if (desk !== undefined) desk.refused++;
  });
  const open = (opening: Opening, at: number): Desk => {
    const desk: Desk = {
      ...opening,
      spent: counter(),
      busy: new Map(),
      beside: new Map(),
      task: '',
      startedAt: at,
      turn: 0,
      retries: 0,
      refused: 0,
      snippet: '',
    };
    desks.set(opening.session, desk);
    sorted = undefined;
    return desk;
  };
  const begin = (
    { session, agent, trigger, seat, parent }: AgentRun,
    op: OpStart['op'] | undefined,
    at: number,
  ): void => {
    const { kind, spawned: id } = trigger;
    const label = id === undefined ? undefined : names.of(id);
    const desk =
      change(desks.get(session)) ?? open({ session, agent, trigger: kind, seat, label, depth: depthBelow(parent) }, at);
    if (desk.pending !== undefined) desk.startedAt = at;
    desk.pending = undefined;
    desk.task = op === undefined ? '' : taskIn(op);
  };
  /** The spawned run that cannot start yet, or the session that waits. */
  const waiterOf = (path: OpPath, by: SpawnId | undefined): Desk | undefined =>
    (by === undefined ? undefined : change(spawned.get(by))) ?? deskAt(path);

  const start = ({ path, at, op }: OpStart): void => {
    const desk = deskAt(path);
    const place = runs.at(path);
    if (op.kind === 'await-runs') {
      const waiter = waiterOf(path, op.by);
      if (waiter !== undefined) awaiting.set(path, waiter);
      if (waiter?.pending === undefined) waiter?.busy.set(path, busyWith(op, undefined));
    } else if (op.kind === 'run' && op.trigger.spawned !== undefined) {
      desk?.beside.set(path, names.of(op.trigger.spawned));
    } else desk?.busy.set(path, busyWith(op, place?.agent));
    if (op.kind === 'model' && desk !== undefined) [desk.turn, desk.snippet] = [op.turn, ''];
    if (op.kind === 'run' && place !== undefined) begin(place, op, at);
    const again = op.kind === 'say' ? change(desks.get(op.session)) : undefined;
    if (again !== undefined) again.ended = undefined;
  };
  const end = (event: OpEnd): void => {
    const { path } = event;
    for (const desk of [deskAt(path), change(awaiting.get(path))]) {
      desk?.busy.delete(path);
      desk?.beside.delete(path);
    }
    const waiter = awaiting.get(path);
    if (waiter?.pending !== undefined) waiter.pending = { ...waiter.pending, after: [] };
    awaiting.delete(path);
    if (event.kind !== 'run' && event.kind !== 'say') return;
    const desk = change(desks.get(runs.at(path)?.session ?? ''));
    if (desk !== undefined) desk.ended = { at: event.at, activity: endOf(event) };
  };
  const post = (path: OpPath, said: Broadcast): void => {
    const sender = said.refused === undefined ? senderOf(path, said, runs) : undefined;
    const desk = sender === undefined ? undefined : change(desks.get(sender));
    if (desk !== undefined) desk.said = { number: said.number, text: onOneLine(said.message, SNIPPET) };
  };
  const instant = ({ path, at, kind, detail, value }: InstantOp): void => {
    if (kind === 'post') post(path, value as Broadcast);
    else if (kind === 'spawn') {
      const depth = depthBelow(runs.above(path));
      for (const { run: id, order, index } of acceptedSpawns(detail, value)) {
        const session = spawnedSession(childPath(path, index), order.after.length > 0);
        const { agent, label, after } = order;
        spawned.set(id, open({ session, agent, label, depth, trigger: 'spawn', pending: { run: id, after } }, at));
      }
    } else if (kind === 'announce') {
      const told = detail as { readonly run: SpawnId; readonly end?: Outcome };
      over.add(told.run);
      for (const desk of awaiting.values()) change(desk);
      const desk = change(spawned.get(told.run));
      if (desk?.pending === undefined || told.end === undefined) return;
      desk.pending = undefined;
      desk.ended = { at, activity: endedUnstarted(told.end) };
    }
  };
  const endRun = (at: number, ended: Outcome): void => {
    outcome = ended.kind;
    const desk = change(desks.get(ROOT));
    if (desk !== undefined) desk.ended = { at, activity: activityOf(ended) };
  };
  /** Runs are driven again on the record. A call that was open when the process died counts again once it begins. */
  const resume = (): void => {
    awaiting.clear();
    waits.clear();
    for (const desk of desks.values()) {
      for (const [path, one] of desk.busy) {
        if (one.kind !== 'waiting' || one.for !== 'others') desk.busy.delete(path);
      }
      change(desk);
    }
  };

  const nameOf = (one: Busy): Exclude<Busy, { kind: 'awaiting' }> =>
    one.kind === 'awaiting' ? waitingFor('others', stillOut(one.runs)) : one;
  const stillOut = (ids: readonly SpawnId[]): readonly string[] => ids.filter((id) => !over.has(id)).map(names.of);
  const activityNow = ({ ended, pending, busy, beside, session }: Desk): Activity => {
    if (ended !== undefined) return ended.activity;
    if (pending !== undefined)
      return pending.after.length > 0 ? waitingFor('others', stillOut(pending.after)) : waitingFor('queue');
    const now = [...busy].map(([path, one]) => (one.kind === 'thinking' ? (waits.get(path) ?? one) : nameOf(one)));
    const own = waits.get(session);
    if (own !== undefined) now.push(own);
    return current(now.length > 0 || beside.size === 0 ? now : [waitingFor('others', [...beside.values()])]);
  };
  const lineOf = (desk: Desk): SessionProgress => {
    desk.line ??= {
      session: desk.session,
      agent: desk.agent,
      trigger: desk.trigger,
      ...(desk.seat !== undefined && { seat: desk.seat }),
      ...(desk.label !== undefined && { label: desk.label }),
      ...(desk.task !== '' && { task: desk.task }),
      depth: desk.depth,
      turn: desk.turn,
      activity: activityNow(desk),
      totals: totalsOf(desk.spent),
      startedAt: desk.startedAt,
      ...(desk.ended !== undefined && { endedAt: desk.ended.at }),
      snippet: desk.snippet,
      ...(desk.said !== undefined && { said: desk.said }),
      retries: desk.retries,
      refused: desk.refused,
    };
    return desk.line;
  };

  return {
    add(event) {
      calls.add(event);
      names.add(event);
      tally.add(event);
      switch (event.type) {
        case 'run-start': {
          [run, startedAt] = [event.run, event.at];
          const root = runs.at(ROOT);
          return root && begin(root, undefined, event.at);
        }
        case 'op-start':
          return start(event);
        case 'op-end':
          return end(event);
        case 'op':
          return instant(event);
        case 'attempt': {
          const desk = event.then.kind === 'give-up' ? undefined : deskAt(event.path);
          if (desk !== undefined) desk.retries++;
          return;
        }
        case 'run-resume':
          return resume();
        case 'run-end':
          return endRun(event.at, event.outcome);
        default:
      }
    },
    delta(path, text) {
      const desk = change(desks.get(path) ?? deskAt(path));
      if (desk !== undefined) desk.snippet = (desk.snippet + text).slice(-snippet);
    },
    waiting(path, what, whom) {
      waits.set(path, waitingFor(what, whom));
      change(desks.get(path) ?? deskAt(path));
    },
    waited(path) {
      waits.delete(path);
      change(desks.get(path) ?? deskAt(path));
    },
    now() {
      sorted ??= [...desks.values()].sort((left, right) => comparePaths(left.session, right.session));
      const sessions = sorted.map(lineOf);
      return {
        run,
        startedAt,
        totals: totalsOf(all),
        calls: tally.tally(),
        ...(outcome !== undefined && { outcome }),
        sessions,
      };
    },
  };
}

function change(desk: Desk | undefined): Desk | undefined {
  if (desk !== undefined) desk.line = undefined;
  return desk;
}

function depthBelow(place: AgentRun | undefined): number {
  let depth = 0;
  for (let above = place; above !== undefined; above = above.parent) depth++;
  return depth;
}

/** A spawned run that never started: cancelled, too late, or skipped because of another one. */
function endedUnstarted(outcome: Outcome): Activity {
  const state = endState(outcome);
  return state === 'skipped' && isBroken(outcome)
    ? { kind: 'failed', outcome: state, fault: outcome.fault }
    : activityOf(outcome);
}

/** The beginning of what one agent asked of another; the hops of a pattern work on the request itself. */
function taskIn(op: OpStart['op']): string {
  if (op.kind !== 'run' || triggerTraits(op.trigger).isHop) return '';
  const { text } = op.input;
  const own = text.startsWith(PREVIOUS) ? text.slice(text.lastIndexOf(CURRENT) + CURRENT.length) : text;
  return onOneLine(own, TASK);
}

const onOneLine = (text: string, most: number): string =>
  text
    .slice(0, 4 * most)
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, most);

/** The headings of a task that comes with the results of earlier runs. */
const PREVIOUS = '[Previous step result]:';
const CURRENT = '\n[Current task]:\n';
