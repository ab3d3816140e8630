// What led to what: for a model call, the ops whose results it was told; for any op, where its result went. From these,
// why a run answered as it did: from the answer back to the request.
// PV1. A session's first request was caused by the op that made its run happen: the turn that called or spawned it, the
//      upstream's last turn, or, for a part of the run above, whatever caused that one.
// PV2. A result that a later request repeats in words has no op in it. It is found by its order: the runs that a turn
//      began are told in its session's next request.

import type { InstantOp, OpEnd, OpStart, RunEvent } from '../../journal/event.ts';
import type { Broadcast, InboxRef, Mail, SessionRef } from '../../kernel/effect.ts';
import { childPath, comparePaths, lastIndex, type OpPath, parentPath, ROOT } from '../../kernel/path.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import { type AgentRun, type Lineage, lineage } from '../lineage.ts';
import { EXIT_NAMES } from '../tree/open-reply.ts';
import { type RefusedCall, refusalFold } from '../tree/refusals.ts';
import { spawnTimes } from '../tree/spawn-times.ts';

/**
 * `request`: what the run was asked; its op is the root. `asked`: the turn that made the run happen. `after`: a run that
 * this one waited for. `advised`: an advisor's run. `result`: a tool or a run that the turn before called. `sent-back`:
 * an own answer that was refused. `refused`: a call of the turn before that was not made. `broadcast` and `announcement`: heard in the inbox. `message`: from outside.
 */
export type HowTold =
  | 'request'
  | 'asked'
  | 'after'
  | 'advised'
  | 'result'
  | 'sent-back'
  | 'refused'
  | 'broadcast'
  | 'announcement'
  | 'message';

export interface ToldMessage {
  readonly how: HowTold;
  readonly op: OpPath;
  /** The tool whose call was refused. */
  readonly name?: string;
  /** Why it was sent back or refused, or the message. */
  readonly text?: string;
  /** For what was heard in the inbox: the take. */
  readonly take?: OpPath;
}

/** `answer`: of the run at `op`. `input`: of the run at `op`. `inbox`: read by the take at `op`. `turn`: told to it. */
export interface Went {
  readonly how: 'answer' | 'input' | 'inbox' | 'turn';
  readonly op: OpPath;
  readonly at: number;
}

export interface ProvenanceFold {
  add(event: RunEvent): void;
  /** What a model call was told, beyond what its session knew. Of any other op: of the turn that it belongs to. */
  told(path: OpPath): readonly ToldMessage[];
  went(path: OpPath): readonly Went[];
  /** The model call that an op belongs to, or that answered for a run. */
  turnOf(path: OpPath): OpPath | undefined;
  /** The turns from an op back to the request, the op's own first. */
  back(path: OpPath): readonly OpPath[];
  /** The runs and messages, in the order of events. */
  readonly runs: Pick<Lineage, 'at' | 'above'>;
}

interface TurnTrace {
  readonly path: OpPath;
  readonly at: number;
  readonly place: AgentRun | undefined;
  readonly isFirst: boolean;
  readonly before: OpPath | undefined;
  readonly told: ToldMessage[];
}

/** What a run, or a further message to a session, has by now. */
interface AgentTrace {
  readonly run: AgentRun;
  turns: OpPath[];
  /** What was heard, and what was called, since the last turn. */
  heard: ToldMessage[];
  called: OpPath[];
  advisors: OpPath[];
}

export function provenanceFold(): ProvenanceFold {
  const runs = lineage();
  const spawns = spawnTimes();
  const turns = new Map<OpPath, TurnTrace>();
  const places = new Map<OpPath, AgentTrace>();
  const lastTurn = new Map<SessionRef, OpPath>();
  const ends = new Map<OpPath, number>();
  const posts = new Map<string, OpPath>();
  const announced = new Map<string, OpPath>();
  const went = new Map<OpPath, Map<string, Went>>();
  const sentBack = new Map<OpPath, string>();
  const refused = new Map<OpPath, RefusedCall[]>();
  const refuse = (one: RefusedCall): void => {
    refused.set(one.reply, [...(refused.get(one.reply) ?? []), one]);
  };
  /** An exit that was refused is told as what was sent back. */
  const refusedIn = (reply: OpPath): readonly ToldMessage[] =>
    (refused.get(reply) ?? [])
      .filter(({ name }) => !(sentBack.has(reply) && EXIT_NAMES.has(name)))
      .map(({ path, name, why }) => ({ how: 'refused', op: path, name, text: why }));
  const refusals = refusalFold({ answer: ({ path, why }) => sentBack.set(path, why), call: refuse }, runs);

  const goes = (from: OpPath, to: Went): void => {
    const known = went.get(from) ?? new Map<string, Went>();
    const key = `${to.how} ${to.op}`;
    if (!known.has(key)) went.set(from, known.set(key, to));
  };
  const placeOf = (run: AgentRun): AgentTrace => {
    const known = places.get(run.path);
    if (known !== undefined) return known;
    const made: AgentTrace = { run, turns: [], heard: [], called: [], advisors: [] };
    places.set(run.path, made);
    return made;
  };
  /** PV1 */
  const causes = (run: AgentRun): readonly ToldMessage[] => {
    if (run.parent === undefined) return [{ how: 'request', op: ROOT }];
    const { isHop, answers } = triggerTraits(run.trigger);
    if (isHop && !answers) return causes(run.parent);
    const turn = lastTurn.get(run.parent.session);
    const asked: ToldMessage[] = turn === undefined ? [] : [{ how: 'asked', op: turn }];
    const after = spawns.at(run.path)?.after ?? [];
    return [
      ...(asked.length === 0 ? causes(run.parent) : asked),
      ...after.map((op) => ({ how: 'after', op }) as const),
    ];
  };
  const causedBy = new Map<OpPath, readonly ToldMessage[]>();

  const begin = (run: AgentRun, at: number): void => {
    const from = run.kind === 'say' ? saidTo(run) : causes(run);
    causedBy.set(run.path, from);
    for (const { op, how } of from) {
      if (how === 'request') continue;
      goes(op, { how: 'input', op: run.path, at });
      const answerer = how === 'after' ? answererOf(op) : undefined;
      if (answerer !== undefined) goes(answerer, { how: 'input', op: run.path, at });
    }
    if (run.parent === undefined) return;
    const above = placeOf(run.parent);
    if (triggerTraits(run.trigger).isHop && !triggerTraits(run.trigger).answers) above.advisors.push(run.path);
    else if (run.trigger.spawned === undefined) above.called.push(run.path); // a spawned run is announced
  };
  const saidTo = (run: AgentRun): readonly ToldMessage[] => {
    const turn = run.parent && lastTurn.get(run.parent.session);
    return turn === undefined ? [] : [{ how: 'asked', op: turn }];
  };
  const ask = ({ path, at, op }: OpStart): void => {
    if (op.kind !== 'model' || turns.has(path)) return;
    const run = runs.above(path);
    const place = run && placeOf(run);
    const before = lastTurn.get(op.session);
    const told: ToldMessage[] = [];
    if (place !== undefined && place.turns.length === 0) {
      told.push(...(causedBy.get(place.run.path) ?? causes(place.run)));
      if (before === undefined) told.push(...advisedBy(place));
    }
    const why = before === undefined ? undefined : sentBack.get(before);
    if (before !== undefined && why !== undefined) told.push({ how: 'sent-back', op: before, text: why });
    if (before !== undefined) {
      told.push(...refusedIn(before));
      refused.delete(before);
    }
    for (const stored of op.added)
      if ('op' in stored && stored.role === 'tool') told.push({ how: 'result', op: stored.op });
    const toldOps = new Set(told.map((one) => one.op));
    for (const called of new Set(place?.called.splice(0))) // PV2
      if (ends.has(called) && !toldOps.has(called)) told.push({ how: 'result', op: called });
    told.push(...(place?.heard.splice(0) ?? []));
    turns.set(path, { path, at, place: run, isFirst: before === undefined, before, told });
    place?.turns.push(path);
    lastTurn.set(op.session, path);
    for (const one of told) {
      if (one.how === 'request' || one.how === 'asked' || one.how === 'after') continue;
      goes(one.op, { how: 'turn', op: path, at });
    }
  };
  const advisedBy = (place: AgentTrace): readonly ToldMessage[] =>
    place.advisors
      .filter((op) => ends.has(op) && runs.at(op)?.trigger.kind === 'advisor')
      .map((op) => ({ how: 'advised', op }) as const);
  const answererOf = (run: OpPath): OpPath | undefined => {
    const session = runs.at(run)?.session;
    return session === undefined ? undefined : lastTurn.get(session);
  };
  const end = ({ path, kind, at }: OpEnd): void => {
    ends.set(path, at);
    if (kind !== 'run' && kind !== 'say') return;
    const answerer = answererOf(path);
    if (answerer !== undefined) goes(answerer, { how: 'answer', op: path, at });
  };
  const post = ({ path, detail, value }: InstantOp): void => {
    posts.set(`${(detail as { readonly channel: SessionRef }).channel} ${(value as Broadcast).number}`, path);
  };
  const take = ({ path, at, detail, value }: InstantOp): void => {
    const { channel } = (detail as { readonly inbox: InboxRef }).inbox;
    const { messages, broadcasts = [] } = value as Mail;
    const run = runs.above(path);
    const heard: ToldMessage[] = [
      ...broadcasts.flatMap(({ number }): readonly ToldMessage[] => {
        const op = posts.get(`${channel} ${number}`);
        return op === undefined ? [] : [{ how: 'broadcast', op, take: path }];
      }),
      ...messages.map(({ text }): ToldMessage => {
        const op = announced.get(text);
        return op === undefined
          ? { how: 'message', op: path, text, take: path }
          : { how: 'announcement', op, take: path };
      }),
    ];
    if (run !== undefined) placeOf(run).heard.push(...heard);
    for (const { op, how } of heard) {
      const from = how === 'announcement' ? (answererOf(op) ?? op) : (turnOf(op) ?? op);
      if (how !== 'message') goes(from, { how: 'inbox', op: path, at });
    }
  };
  /** The announcement of a spawned run is told as that run: a reader looks for what it answered. */
  const announce = ({ path, detail }: InstantOp): void => {
    const { text } = detail as { readonly text: string };
    announced.set(text, siblingRun(path, runs) ?? path);
  };
  const turnOf = (path: OpPath): OpPath | undefined => {
    if (turns.has(path)) return path;
    const run = runs.at(path);
    if (run !== undefined) return lastTurn.get(run.session);
    const above = runs.above(path);
    return above === undefined ? undefined : placeOf(above).turns.findLast((turn) => comparePaths(turn, path) < 0);
  };
  const back = (path: OpPath): readonly OpPath[] => {
    const steps: OpPath[] = [];
    for (let at = turnOf(path); at !== undefined && !steps.includes(at); at = causeOf(at)) steps.push(at);
    return steps;
  };
  /** The turn that made the session of this one begin. */
  const causeOf = (path: OpPath): OpPath | undefined => {
    const run = turns.get(path)?.place;
    if (run === undefined) return undefined;
    const opened = run.kind === 'say' ? runs.at(run.session) : run;
    const first = opened === undefined ? undefined : causedBy.get(opened.path);
    return first?.find(({ how }) => how === 'asked')?.op;
  };
  return {
    runs,
    add(event) {
      runs.add(event);
      spawns.add(event);
      refusals.add(event);
      if (event.type === 'op-start') {
        const run = runs.at(event.path);
        if (run !== undefined && !causedBy.has(run.path)) begin(run, event.at);
        ask(event);
      } else if (event.type === 'op-end') end(event);
      else if (event.type === 'op' && event.kind === 'post') post(event);
      else if (event.type === 'op' && event.kind === 'take') take(event);
      else if (event.type === 'op' && event.kind === 'announce') announce(event);
    },
    told(path) {
      const turn = turns.get(turnOf(path) ?? '');
      return turn === undefined ? [] : [...turn.told, ...refusedIn(turn.path)]; // of a last reply nobody was told
    },
    went: (path) => [...(went.get(path)?.values() ?? [])],
    turnOf,
    back,
  };
}

/** The run of a task, by the path of its announcement, which follows it. */
function siblingRun(path: OpPath, runs: Lineage): OpPath | undefined {
  const task = parentPath(path);
  const run = task === undefined ? undefined : childPath(task, lastIndex(path) - 1);
  return run !== undefined && runs.at(run) !== undefined ? run : undefined;
}
