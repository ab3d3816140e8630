// Runs within runs: drives a child agent's routine under the op that asked for it, keeps the sessions that may be
// asked again, and ends them with their parent. Leaves go through to the world below.
// R1. A run ends after every life that was launched in it; where one fails, so does the run.

import { type Conversation, openConversation } from '../kernel/conversation.ts';
import type { AgentName, Effect, Routine, SessionRef, Settled, Trigger } from '../kernel/effect.ts';
import { fault } from '../kernel/fault.ts';
import { broken, isAnswered, isBroken, type Outcome } from '../kernel/outcome.ts';
import type { OpPath } from '../kernel/path.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { SharedContext } from '../kernel/spawned.ts';
import { helperName, type SubagentResult } from '../kernel/subagent.ts';
import type { SubagentRunner } from '../tools/subagent/runner.ts';
import { drive, runnerOp } from './drive.ts';
import { openNursery } from './nursery.ts';
import { type Instance, openSessions, type OpenSessions } from './sessions.ts';
import type { Op, Scope, World } from './world.ts';
import { type Launching, nobodyWaits } from './yard/yard.ts';

export interface Casting {
  readonly agent: AgentName;
  /** Of the run that it is made ready for. */
  readonly path: OpPath;
  /** Ends whatever has to be opened before the agent can run. */
  readonly signal: StopSignal;
  /** The names of the agents from the run's first to this one. */
  callPath(): string;
}

/** Makes an agent ready to run; opens its tools where it needs to, and answers with a fault where that fails. */
export type Programs = (casting: Casting) => Settled<Instance> | Promise<Settled<Instance>>;

/** From this many characters on, an answer can be read back by its handle. */
const LONG = 8192;

type RunEffect = Extract<Effect, { kind: 'run' }>;
type SayEffect = Extract<Effect, { kind: 'say' }>;
type SubagentEffect = Extract<Effect, { kind: 'subagent' }>;

export function nested(
  world: World,
  programs: Programs,
  helpers: SubagentRunner,
  launching: Launching = nobodyWaits,
): World {
  const sessions = openSessions();
  return {
    ...world,
    perform(effect, op) {
      switch (effect.kind) {
        case 'run':
          launching.raise();
          return run(effect, op, { programs, sessions, launching });
        case 'say':
          return say(effect, op, sessions, launching);
        case 'model':
          launching.raise();
          return world.perform(effect, op);
        case 'subagent':
          return effect.limits.runner === 'in-process' ? help(effect, op, helpers) : world.perform(effect, op);
        case 'close':
          sessions.closeBelow(effect.session);
          return { ok: true, value: null };
        default:
          return world.perform(effect, op);
      }
    },
  };
}

interface Surroundings {
  readonly programs: Programs;
  readonly sessions: OpenSessions;
  readonly launching: Launching;
}

async function run(effect: RunEffect, op: Op, around: Surroundings): Promise<Settled<Outcome>> {
  const { programs, sessions, launching } = around;
  const { spawned } = effect.trigger;
  const shared = effect.input.shared ?? (isHop(effect.trigger) ? op.scope.shared : undefined);
  const signal = spawned === undefined ? op.signal : launching.opened(spawned, op);
  const preparing = programs({
    agent: effect.agent,
    path: op.path,
    signal,
    callPath: () => callPath(effect.agent, op),
  });
  const prepared = preparing instanceof Promise ? await preparing : preparing;
  if (!prepared.ok) {
    const unopened = named({ ...broken(prepared.fault), agent: effect.agent }, effect.agent, op.path);
    if (spawned !== undefined) launching.ran(spawned, unopened);
    return { ok: true, value: unopened };
  }
  const instance = prepared.value;
  const conversation = openConversation();
  const routine = instance.start({
    self: op.path,
    request: shared === effect.input.shared ? effect.input : { ...effect.input, ...(shared && { shared }) },
    conversation,
    trigger: effect.trigger,
    contract: effect.contract,
    keep: effect.keep,
    seat: effect.seat,
  });
  const scope = scopeOf(effect.agent, op, effect.trigger, shared);
  const driven = await driveAll(routine, op, scope, signal, launching);
  const ended = named(driven, effect.agent, op.path);
  const outcome = effect.keep ? kept(ended, op.path, conversation) : ended;
  sessions.closeBelow(op.path, outcome.session);
  if (outcome.session === op.path) sessions.keep(op.path, { agent: effect.agent, instance, conversation, shared });
  if (spawned !== undefined) launching.ran(spawned, outcome);
  return { ok: true, value: outcome };
}

/** The session that answered stays open: this one, unless the answer came from further down a chain. */
function kept(outcome: Outcome, session: SessionRef, { maxTurns, turns }: Conversation): Outcome {
  if (!isAnswered(outcome) || outcome.session !== undefined) return outcome;
  return { ...outcome, session, turnsLeft: maxTurns - turns };
}

/** Drives a routine to its end, and then waits for what it launched (R1). */
async function driveAll<Value>(
  routine: Routine<Value>,
  op: Op,
  scope: Scope,
  signal: StopSignal,
  launching: Launching,
): Promise<Value> {
  const nursery = openNursery(launching);
  try {
    return await drive(routine, { path: op.path, scope, signal, nursery }, op.world);
  } catch (thrown) {
    launching.fail(thrown);
    throw thrown;
  } finally {
    const left = nursery.empty();
    if (left !== undefined) await left;
  }
}

async function say(effect: SayEffect, op: Op, sessions: OpenSessions, launching: Launching): Promise<Settled<Outcome>> {
  const open = sessions.get(effect.session);
  if (open === undefined) {
    const unknown = fault('clarification_unknown', `There is no open session ${effect.session}.`);
    return { ok: true, value: broken(unknown) };
  }
  const { instance, conversation, shared } = open;
  const routine = instance.again({
    self: effect.session,
    request: { text: effect.text, ...(shared && { shared }) },
    conversation,
    trigger: { kind: 'call' },
    keep: true,
    ...(effect.seat && { seat: effect.seat }),
  });
  const scope = scopeOf(open.agent, op, undefined, shared);
  const outcome = await driveAll(routine, op, scope, op.signal, launching);
  const turnsLeft = conversation.maxTurns - conversation.turns;
  return { ok: true, value: { ...outcome, session: effect.session, turnsLeft } };
}

/** A helper is driven under its op, a level below the agent that asked for it. */
async function help(effect: SubagentEffect, op: Op, helpers: SubagentRunner): Promise<Settled<SubagentResult>> {
  const scope = scopeOf(helperName(effect.agent), op);
  return { ok: true, value: await helpers.run(effect, runnerOp(op, scope)) };
}

/** A stage that follows, or a destination, takes its predecessor's place: only those who wait for a child are above it. */
function scopeOf(agent: AgentName, op: Op, trigger?: Trigger, shared?: SharedContext): Scope {
  const follows = trigger?.kind === 'next' || trigger?.kind === 'handoff' || trigger?.kind === 'router';
  const { depth, purse } = op.scope;
  const run = trigger?.spawned;
  const spawned = run === undefined ? op.scope.spawned : { run, depth: (op.scope.spawned?.depth ?? 0) + 1 };
  return { agent, depth: depth + (follows ? 0 : 1), parent: op.scope, purse, spawned, shared };
}

/** What belongs to the run of the agent above, as one of its patterns: it shares what that agent was given. */
const isHop = ({ kind }: Trigger): boolean => kind !== 'start' && kind !== 'call' && kind !== 'spawn';

function callPath(agent: AgentName, op: Op): string {
  const names = [agent];
  for (let scope: Scope | undefined = op.scope; scope !== undefined && scope.agent !== ''; scope = scope.parent)
    names.unshift(scope.agent);
  return names.join('/');
}

/** Long answers get a handle, failures the stage they happened at. */
function named(outcome: Outcome, agent: AgentName, path: OpPath): Outcome {
  if (isBroken(outcome)) {
    return outcome.fault.stage === undefined
      ? { ...outcome, fault: { ...outcome.fault, stage: outcome.agent ?? agent } }
      : outcome;
  }
  return 'text' in outcome && outcome.text.length > LONG && outcome.handle === undefined
    ? { ...outcome, handle: path }
    : outcome;
}
