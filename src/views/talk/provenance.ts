// Provenance: the ops whose results a model call was told, and for any op, where its result went. From these follows
// why a run answered as it did, from the answer back to the request.
// PROVENANCE-1. A session's first request was caused by the op that made its run happen: the turn that called or
//               spawned it, the turn that gave the answer of the upstream, or, for a part of the run above, whatever
//               caused that one. An item is a part of the upstream's answer.
// PROVENANCE-2. A result that a later request repeats in words has no op in it. It is found by its order: the runs that
//               a turn began are told in its session's next request.

import type { InstantOp, OpEnd, OpStart, RunEvent } from '../../journal/event.ts';
import { opEndState } from '../../journal/op-end-state.ts';
import type { SessionRef } from '../../kernel/effect.ts';
import { isAnswered, type Outcome } from '../../kernel/outcome.ts';
import { comparePaths, type OpPath, ROOT } from '../../kernel/path.ts';
import { questionIn } from '../../kernel/person.ts';
import { signInIn } from '../../kernel/sign-in.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import { type AgentRun, Lineage } from '../lineage.ts';
import { EXIT_NAMES } from '../tree/open-reply.ts';
import { Refusals } from '../tree/refusals.ts';
import { spawnTimes } from '../tree/spawn-times.ts';
import { InboxSources } from './inbox-sources.ts';

/**
 * `request`: what the run was asked; its op is the root. `asked`: the turn that made the run happen. `after`: a run that
 * this one waited for. `advised`: an advisor's run. `result`: a tool or a run that the turn before called. `sent-back`:
 * an own answer that was refused. `refused`: a call of the turn before that was not made. `denied`: one that a person
 * said no to; its op is the question. `broadcast` and `announcement`: heard in the inbox. `message`: from outside.
 */
export type HowTold =
  | 'request'
  | 'asked'
  | 'after'
  | 'advised'
  | 'result'
  | 'sent-back'
  | 'refused'
  | 'denied'
  | 'broadcast'
  | 'announcement'
  | 'message';

export interface ToldMessage {
  readonly how: HowTold;
  readonly op: OpPath;
  /** The tool whose call was refused. */
  readonly name?: string;
  /** The reason why it was sent back or refused, or the message. */
  readonly text?: string;
  /** The take, for a message from the inbox. */
  readonly take?: OpPath;
}

/** `answer`: of the run at `op`. `input`: of the run at `op`. `inbox`: read by the take at `op`. `turn`: told to it. */
export interface Went {
  readonly how: 'answer' | 'input' | 'inbox' | 'turn';
  readonly op: OpPath;
  readonly at: number;
}

/** The turns of a run, or of a further message to a session, and news for its next one. */
interface AgentTrace {
  readonly run: AgentRun;
  readonly turns: OpPath[];
  /** Messages from the inbox, and calls, since the last turn. */
  heard: ToldMessage[];
  called: OpPath[];
  readonly advisors: OpPath[];
}

export class ProvenanceFold {
  /** The runs and messages, in the order of events. */
  readonly runs = new Lineage();
  readonly #spawns = spawnTimes();
  readonly #turns = new Map<
    OpPath,
    { readonly path: OpPath; readonly run: AgentRun | undefined; readonly told: ToldMessage[] }
  >();
  readonly #traces = new Map<OpPath, AgentTrace>();
  readonly #lastTurn = new Map<SessionRef, OpPath>();
  /** The turn that gave the latest answer of each run, where it is not of the run's own session. */
  readonly #answers = new Map<OpPath, OpPath>();
  readonly #ended = new Set<OpPath>();
  readonly #inboxes = new InboxSources(this.runs);
  readonly #went = new Map<OpPath, Map<string, Went>>();
  readonly #sentBack = new Map<OpPath, string>();
  /** The calls of each reply that were refused, denied or ended in a fault: no message of the next request names their op. */
  readonly #fruitless = new Map<OpPath, ToldMessage[]>();
  readonly #approvals = new Set<OpPath>();
  /** Calls of replies, not those that a pattern makes. */
  readonly #calls = new Set<OpPath>();
  readonly #causes = new Map<OpPath, readonly ToldMessage[]>();
  readonly #refusals = new Refusals(
    {
      answer: ({ path, why }) => this.#sentBack.set(path, why),
      call: ({ reply, path, name, why }) => this.#cameToNothing(reply, { how: 'refused', op: path, name, text: why }),
    },
    this.runs,
  );

  add(event: RunEvent): void {
    this.runs.add(event);
    this.#spawns.add(event);
    this.#refusals.add(event);
    if (event.type === 'op-start') {
      const run = this.runs.at(event.path);
      if (run !== undefined && !this.#causes.has(run.path)) this.#begin(run, event.at);
      if (event.op.kind === 'tool' && event.op.trigger === undefined) this.#calls.add(event.path);
      if (event.op.kind === 'tool' && event.op.trigger?.kind === 'judge') this.#calledIn(event.path);
      if (event.op.kind === 'approval' && isAboutCall(event.op.about)) this.#approvals.add(event.path);
      this.#startTurn(event);
    } else if (event.type === 'op-end') this.#end(event);
    else if (event.type === 'op' && event.kind === 'post') this.#inboxes.post(event);
    else if (event.type === 'op' && event.kind === 'take') this.#take(event);
    else if (event.type === 'op' && event.kind === 'announce') this.#inboxes.announce(event);
  }

  /**
   * The messages that a model call was told, beyond the knowledge of its session. For any other op: those of the turn
   * that it belongs to.
   */
  told(path: OpPath): readonly ToldMessage[] {
    const turn = this.#turns.get(this.turnOf(path) ?? '');
    return turn === undefined ? [] : [...turn.told, ...this.#fruitlessIn(turn.path)]; // no turn was told of a last reply's
  }

  went(path: OpPath): readonly Went[] {
    return [...(this.#went.get(path)?.values() ?? [])];
  }

  /** The model call that an op belongs to, or that answered for a run. */
  turnOf(path: OpPath): OpPath | undefined {
    if (this.#turns.has(path)) return path;
    const run = this.runs.at(path);
    if (run !== undefined) return this.#lastTurn.get(run.session);
    const above = this.runs.above(path);
    return above && this.#traceOf(above).turns.findLast((turn) => comparePaths(turn, path) < 0);
  }

  /** The turns from an op back to the request, the op's own first. */
  back(path: OpPath): readonly OpPath[] {
    const steps: OpPath[] = [];
    for (let at = this.turnOf(path); at !== undefined && !steps.includes(at); at = this.#openerOf(at)) steps.push(at);
    return steps;
  }

  /** The turn that made the session of this one begin. */
  #openerOf(path: OpPath): OpPath | undefined {
    const run = this.#turns.get(path)?.run;
    const opened = run?.kind === 'say' ? this.runs.at(run.session) : run;
    const causes = opened && this.#causes.get(opened.path);
    return causes?.find(({ how }) => how === 'asked')?.op;
  }

  #begin(run: AgentRun, at: number): void {
    const causes = run.kind === 'say' ? this.#askedBy(run.parent) : this.#causesOf(run);
    this.#causes.set(run.path, causes);
    for (const { op, how } of causes) {
      if (how === 'request') continue;
      this.#goes(op, { how: 'input', op: run.path, at });
      const answerer = how === 'after' ? this.#answererOf(op) : undefined;
      if (answerer !== undefined) this.#goes(answerer, { how: 'input', op: run.path, at });
    }
    if (run.parent === undefined) return;
    const above = this.#traceOf(run.parent);
    if (run.trigger.kind === 'judge') above.called.push(run.path);
    else if (isPartOfTheRunAbove(run)) above.advisors.push(run.path);
    else if (run.trigger.spawned === undefined) above.called.push(run.path); // a spawned run is announced
  }

  /** A command that judges is told to the session in its next request. */
  #calledIn(path: OpPath): void {
    const run = this.runs.above(path);
    if (run !== undefined) this.#traceOf(run).called.push(path);
  }

  /** PROVENANCE-1 */
  #causesOf(run: AgentRun): readonly ToldMessage[] {
    if (run.parent === undefined) return [{ how: 'request', op: ROOT }];
    if (isPartOfTheRunAbove(run) && run.trigger.kind !== 'each') return this.#causesOf(run.parent);
    const upstream = triggerTraits(run.trigger).isHop ? this.#answers.get(run.parent.path) : undefined;
    const asked = upstream === undefined ? this.#askedBy(run.parent) : [{ how: 'asked', op: upstream } as const];
    const after = this.#spawns.at(run.path)?.after ?? [];
    return [
      ...(asked.length === 0 ? this.#causesOf(run.parent) : asked),
      ...after.map((op) => ({ how: 'after', op }) as const),
    ];
  }

  #askedBy(run: AgentRun | undefined): readonly ToldMessage[] {
    const turn = run && this.#lastTurn.get(run.session);
    return turn === undefined ? [] : [{ how: 'asked', op: turn }];
  }

  #startTurn(event: OpStart): void {
    const { path, at, op } = event;
    if (op.kind !== 'model' || op.compact !== undefined || this.#turns.has(path)) return;
    const run = this.runs.above(path);
    const state = run && this.#traceOf(run);
    const before = this.#lastTurn.get(op.session);
    const told: ToldMessage[] = [];
    if (state !== undefined && state.turns.length === 0) {
      told.push(...(this.#causes.get(state.run.path) ?? this.#causesOf(state.run)));
      if (before === undefined) told.push(...this.#advisedBy(state));
    }
    if (before !== undefined) told.push(...this.#fruitlessAfter(before));
    for (const stored of op.added)
      if ('op' in stored && stored.role === 'tool') told.push({ how: 'result', op: stored.op });
    if (state !== undefined) told.push(...this.#unlinkedResults(state, told), ...state.heard.splice(0));
    this.#turns.set(path, { path, run, told });
    state?.turns.push(path);
    this.#lastTurn.set(op.session, path);
    for (const { how, op: from } of told)
      if (how !== 'request' && how !== 'asked' && how !== 'after') this.#goes(from, { how: 'turn', op: path, at });
  }

  #advisedBy({ advisors }: AgentTrace): readonly ToldMessage[] {
    return advisors
      .filter((op) => this.#ended.has(op) && this.runs.at(op)?.trigger.kind === 'advisor')
      .map((op) => ({ how: 'advised', op }) as const);
  }

  #cameToNothing(reply: OpPath, told: ToldMessage): void {
    this.#fruitless.set(reply, [...(this.#fruitless.get(reply) ?? []), told]);
  }

  /** The answer that was refused, and the calls that came to nothing, of the turn before. The next turn is told of them once. */
  #fruitlessAfter(before: OpPath): readonly ToldMessage[] {
    const why = this.#sentBack.get(before);
    const calls = this.#fruitlessIn(before);
    this.#fruitless.delete(before);
    return why === undefined ? calls : [{ how: 'sent-back', op: before, text: why }, ...calls];
  }

  /** An exit that was refused is told as an answer that was sent back. */
  #fruitlessIn(reply: OpPath): readonly ToldMessage[] {
    const calls = this.#fruitless.get(reply) ?? [];
    return calls.filter(({ name = '' }) => !(this.#sentBack.has(reply) && EXIT_NAMES.has(name)));
  }

  /** PROVENANCE-2 */
  #unlinkedResults(state: AgentTrace, told: readonly ToldMessage[]): readonly ToldMessage[] {
    const toldOps = new Set(told.map(({ op }) => op));
    return [...new Set(state.called.splice(0))]
      .filter((op) => this.#ended.has(op) && !toldOps.has(op))
      .map((op) => ({ how: 'result', op }) as const);
  }

  #end(event: OpEnd): void {
    const { path, kind, at } = event;
    this.#ended.add(path);
    const isDenied = this.#approvals.has(path) && opEndState(event) === 'denied';
    const isBrokenCall = this.#calls.has(path) && !event.result.ok;
    const reply = isDenied || isBrokenCall ? this.turnOf(path) : undefined;
    if (reply !== undefined) this.#cameToNothing(reply, { how: isDenied ? 'denied' : 'result', op: path });
    if (kind !== 'run' && kind !== 'say') return;
    const answerer = this.#answererOf(path);
    if (answerer !== undefined) this.#goes(answerer, { how: 'answer', op: path, at });
    this.#keepAnswer(event, this.#answers.get(path) ?? answerer);
  }

  /** The answer of a stage, a destination, a supervisor or a round is that of the run above. */
  #keepAnswer({ path, result }: OpEnd, turn: OpPath | undefined): void {
    const run = this.runs.at(path);
    if (turn === undefined || run?.parent === undefined || !triggerTraits(run.trigger).answers) return;
    if (result.ok && isAnswered(result.value as Outcome)) this.#answers.set(run.parent.path, turn);
  }

  #take(event: InstantOp): void {
    const run = this.runs.above(event.path);
    const heard = this.#inboxes.heardIn(event);
    if (run !== undefined) this.#traceOf(run).heard.push(...heard);
    for (const { op, how } of heard) {
      const from = how === 'announcement' ? (this.#answererOf(op) ?? op) : (this.turnOf(op) ?? op);
      if (how !== 'message') this.#goes(from, { how: 'inbox', op: event.path, at: event.at });
    }
  }

  #goes(from: OpPath, to: Went): void {
    const went = this.#went.get(from) ?? new Map<string, Went>();
    const key = `${to.how} ${to.op}`;
    if (!went.has(key)) this.#went.set(from, went.set(key, to));
  }

  #answererOf(run: OpPath): OpPath | undefined {
    const session = this.runs.at(run)?.session;
    return session === undefined ? undefined : this.#lastTurn.get(session);
  }

  #traceOf(run: AgentRun): AgentTrace {
    const known = this.#traces.get(run.path);
    if (known !== undefined) return known;
    const state: AgentTrace = { run, turns: [], heard: [], called: [], advisors: [] };
    this.#traces.set(run.path, state);
    return state;
  }
}

/** Such a run works on the request of the run above it, as an advisor does, and its answer is not that run's. */
function isPartOfTheRunAbove({ trigger }: AgentRun): boolean {
  const { isHop, answers } = triggerTraits(trigger);
  return isHop && !answers;
}

/** A question in words and a sign-in decide nothing about a call. */
const isAboutCall = (about: unknown): boolean => questionIn(about) === undefined && signInIn(about) === undefined;
