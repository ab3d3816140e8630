// The state of a run for a live screen: every session and its activity, spawned runs that have not started among them.
// It is fed by journal events and by live reports between them, which are never recorded.

import type { InstantOp, OpEnd, OpStart, RunEvent } from '../../journal/event.ts';
import type { Broadcast, SessionRef } from '../../kernel/effect.ts';
import type { OutcomeKind } from '../../kernel/fault.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { childPath, comparePaths, type OpPath, ROOT } from '../../kernel/path.ts';
import { endState, type SpawnId, spawnedSession } from '../../kernel/spawned.ts';
import { type LedgerLine, ledgerLineFold } from '../costs/calls.ts';
import { count, counter, type Totals, totalsOf } from '../costs/totals.ts';
import { type AgentRun, Lineage } from '../lineage.ts';
import { triggerPlace } from '../step-words.ts';
import { senderOf } from '../talk/team-talk.ts';
import { JudgedRounds } from '../tree/judged-rounds.ts';
import { MapItems } from '../tree/map-items.ts';
import { acceptedSpawns, spawnNames } from '../tree/spawn-names.ts';
import { type Activity, activityOf, afterTheRun, busyWith, endOf, type SessionWait, waitingFor } from './activity.ts';
import { type CallTally, callTallyFold } from './call-tally.ts';
import { LiveSession, onOneLine, type RunFacts, type SessionOpening, type SessionProgress } from './live-session.ts';

export type { Activity, SessionProgress };

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

export const SNIPPET = 240;

/** Its functions may be handed on without it: `handle.watch({ event: fold.add })`. */
export class ProgressFold {
  readonly #snippet: number;
  readonly #sessions = new Map<SessionRef, LiveSession>();
  readonly #spawned = new Map<SpawnId, LiveSession>();
  readonly #announced = new Set<SpawnId>();
  /** The sessions that wait for runs, by op. */
  readonly #awaiting = new Map<OpPath, LiveSession>();
  /** Waits of ops and sessions. One may be told before the event that begins its op. */
  readonly #waits = new Map<OpPath, SessionWait>();
  readonly #all = counter();
  readonly #runs = new Lineage();
  readonly #names = spawnNames();
  readonly #calls = ledgerLineFold((line) => this.#charge(line), this.#runs);
  readonly #tally = callTallyFold(this.#runs, ({ reply }) => {
    const session = this.#sessionAbove(reply);
    if (session !== undefined) session.refused++;
  });
  readonly #items = new MapItems((place, items) => {
    const session = this.#runAt(place);
    if (session !== undefined) session.items = items;
  }, this.#runs);
  readonly #rounds = new JudgedRounds(
    {
      judged: (place, count) => {
        const session = this.#runAt(place);
        if (session !== undefined) session.loop = count;
      },
      found: (path, verdict) => {
        const judge = this.#runs.at(path) === undefined ? undefined : this.#runAt(path);
        if (judge !== undefined) judge.verdict = verdict;
      },
    },
    this.#runs,
  );
  readonly #facts: RunFacts = {
    labelsOfUnfinished: (ids) => ids.filter((id) => !this.#announced.has(id)).map(this.#names.of),
    waitAt: (place) => this.#waits.get(place),
  };
  #sorted: LiveSession[] | undefined;
  #run = '';
  #startedAt = 0;
  #outcome: OutcomeKind | undefined;

  /** A session keeps the last `snippet` characters of its text. */
  constructor(snippet: number) {
    this.#snippet = snippet;
  }

  readonly add = (event: RunEvent): void => {
    this.#calls.add(event);
    this.#names.add(event);
    this.#tally.add(event);
    this.#items.add(event);
    this.#rounds.add(event);
    switch (event.type) {
      case 'run-start':
        [this.#run, this.#startedAt] = [event.run, event.at];
        return this.#begin(this.#runs.at(ROOT), undefined, event.at);
      case 'op-start':
        return this.#startOp(event);
      case 'op-end':
        return this.#endOp(event);
      case 'op':
        return this.#instant(event);
      case 'attempt': {
        const session = event.then.kind === 'give-up' ? undefined : this.#sessionAbove(event.path);
        if (session !== undefined) session.retries++;
        return;
      }
      case 'run-resume':
        return this.#resume();
      case 'run-end':
        this.#outcome = event.outcome.kind;
        this.#end(ROOT, event.at, activityOf(event.outcome));
        return this.#endWaits();
      default:
    }
  };

  /** Text that a model op, or a session, is writing. */
  readonly delta = (path: OpPath, text: string): void => {
    const session = this.#sessionAt(path);
    if (session !== undefined) session.snippet = (session.snippet + text).slice(-this.#snippet);
  };

  /** A model op, or a session, waits for something until `waited` arrives. */
  readonly waiting = (
    path: OpPath,
    what: Exclude<SessionWait['for'], 'others' | 'queue'>,
    names: readonly string[],
  ): void => {
    this.#waits.set(path, waitingFor(what, names));
    this.#sessionAt(path);
  };

  readonly waited = (path: OpPath): void => {
    this.#waits.delete(path);
    this.#sessionAt(path);
  };

  readonly now = (): Progress => {
    this.#sorted ??= [...this.#sessions.values()].sort((left, right) => comparePaths(left.session, right.session));
    return {
      run: this.#run,
      startedAt: this.#startedAt,
      totals: totalsOf(this.#all),
      calls: this.#tally.tally(),
      ...(this.#outcome !== undefined && { outcome: this.#outcome }),
      sessions: this.#sorted.map((session) => session.line(this.#facts)),
    };
  };

  /** The session of this name, which is about to change. */
  #session(name: SessionRef): LiveSession | undefined {
    return this.#sessions.get(name)?.changes();
  }

  /** The session of the run at `place`. */
  #runAt(place: OpPath): LiveSession | undefined {
    return this.#session(this.#runs.at(place)?.session ?? ROOT);
  }

  #sessionAbove(path: OpPath): LiveSession | undefined {
    return this.#session(this.#runs.above(path)?.session ?? ROOT);
  }

  #sessionAt(path: OpPath): LiveSession | undefined {
    return this.#session(path) ?? this.#sessionAbove(path);
  }

  #open(opening: SessionOpening, at: number): LiveSession {
    const session = new LiveSession(opening, at);
    this.#sessions.set(opening.session, session);
    this.#sorted = undefined;
    return session;
  }

  #begin(place: AgentRun | undefined, op: OpStart['op'] | undefined, at: number): void {
    if (place === undefined) return;
    const { session, agent, trigger, seat, parent } = place;
    const { kind, spawned, case: taken } = trigger;
    const label = spawned === undefined ? undefined : this.#names.of(spawned);
    const opening = { session, agent, trigger: kind, case: taken, seat, label, depth: depthBelow(parent) };
    const live = this.#session(session) ?? this.#open({ ...opening, place: triggerPlace(trigger) }, at);
    live.begin(op, at);
  }

  #end(name: SessionRef, at: number, activity: Activity): void {
    const session = this.#session(name);
    if (session !== undefined) session.ended = { at, activity };
  }

  /** The members of a team that were to hear more. */
  #endWaits(): void {
    for (const { session, ended } of this.#sessions.values()) {
      const activity = ended === undefined ? undefined : afterTheRun(ended.activity);
      if (ended !== undefined && activity !== undefined && activity !== ended.activity)
        this.#end(session, ended.at, activity);
    }
  }

  #charge(line: LedgerLine): void {
    count(this.#all, line);
    const session = this.#session(line.session) ?? this.#sessionAbove(line.path);
    if (session !== undefined) count(session.spent, line);
  }

  #startOp({ path, at, op }: OpStart): void {
    const session = this.#sessionAbove(path);
    const place = this.#runs.at(path);
    if (op.kind === 'await-runs') {
      const waiter = this.#waiterOf(path, op.by);
      if (waiter !== undefined) this.#awaiting.set(path, waiter);
      if (waiter?.pending === undefined) waiter?.busy.set(path, busyWith(op, undefined));
    } else if (op.kind === 'run' && op.trigger.spawned !== undefined) {
      session?.beside.set(path, this.#names.of(op.trigger.spawned));
    } else session?.busy.set(path, busyWith(op, place?.agent));
    if (op.kind === 'model' && session !== undefined) [session.turn, session.snippet] = [op.turn, ''];
    if (op.kind === 'run') this.#begin(place, op, at);
    const again = op.kind === 'say' ? this.#session(op.session) : undefined;
    if (again !== undefined) again.ended = undefined;
  }

  /** The spawned run that cannot start yet, or the session that waits. */
  #waiterOf(path: OpPath, by: SpawnId | undefined): LiveSession | undefined {
    return (by === undefined ? undefined : this.#spawned.get(by)?.changes()) ?? this.#sessionAbove(path);
  }

  #endOp(event: OpEnd): void {
    const { path, kind, at } = event;
    const waiter = this.#awaiting.get(path)?.changes();
    this.#sessionAbove(path)?.endOp(path);
    waiter?.endOp(path);
    if (waiter?.pending !== undefined) waiter.pending = { ...waiter.pending, after: [] };
    this.#awaiting.delete(path);
    if (kind !== 'run' && kind !== 'say') return;
    const ended = this.#runs.at(path);
    if (ended !== undefined) this.#end(ended.session, at, endOf(event));
  }

  #instant({ path, at, kind, detail, value }: InstantOp): void {
    if (kind === 'post') this.#post(path, value as Broadcast);
    else if (kind === 'spawn') {
      const depth = depthBelow(this.#runs.above(path));
      for (const { run, order, index } of acceptedSpawns(detail, value)) {
        const session = spawnedSession(childPath(path, index), order.after.length > 0);
        const { agent, label, after } = order;
        const pending = { run, after };
        this.#spawned.set(run, this.#open({ session, agent, label, depth, trigger: 'spawn', pending }, at));
      }
    } else if (kind === 'announce') this.#announce(detail as { readonly run: SpawnId; readonly end?: Outcome }, at);
  }

  #post(path: OpPath, said: Broadcast): void {
    const sender = said.refused === undefined ? senderOf(path, said, this.#runs) : undefined;
    const session = sender === undefined ? undefined : this.#session(sender);
    if (session !== undefined) session.said = { number: said.number, text: onOneLine(said.message, SNIPPET) };
  }

  #announce({ run, end }: { readonly run: SpawnId; readonly end?: Outcome }, at: number): void {
    this.#announced.add(run);
    for (const waiter of this.#awaiting.values()) waiter.changes();
    const session = this.#spawned.get(run)?.changes();
    if (session?.pending === undefined || end === undefined) return;
    session.pending = undefined;
    session.ended = { at, activity: endedUnstarted(end) };
  }

  #resume(): void {
    this.#awaiting.clear();
    this.#waits.clear();
    for (const session of this.#sessions.values()) session.changes().resume();
  }
}

export const progressFold = (snippet: number = SNIPPET): ProgressFold => new ProgressFold(snippet);

function depthBelow(place: AgentRun | undefined): number {
  let depth = 0;
  for (let above = place; above !== undefined; above = above.parent) depth++;
  return depth;
}

/** The end of a spawned run that never started: cancelled, too late, or skipped because of another one. */
function endedUnstarted(outcome: Outcome): Activity {
  const state = endState(outcome);
  return state === 'skipped' && isBroken(outcome)
    ? { kind: 'failed', outcome: state, fault: outcome.fault }
    : activityOf(outcome);
}
