// Runs within runs: drives a child agent's routine under the op that asked for it, keeps the sessions that may be
// asked again, and ends them with their parent. Leaves go through to the world below.

import { openConversation } from '../kernel/conversation.ts';
import type { AgentName, Effect, Settled, Trigger } from '../kernel/effect.ts';
import { fault } from '../kernel/fault.ts';
import { broken, isAnswered, isBroken, type Outcome } from '../kernel/outcome.ts';
import type { OpPath } from '../kernel/path.ts';
import { type Instance, openSessions, type OpenSessions } from './sessions.ts';
import type { Op, Scope, World } from './world.ts';

export interface Casting {
  readonly agent: AgentName;
  /** The names of the agents from the run's first to this one. */
  readonly callPath: string;
}

/** Makes an agent ready to run; finds out about its surroundings where it needs to. */
export type Programs = (casting: Casting) => Instance | Promise<Instance>;

/** From this many characters on, an answer can be read back by its handle. */
const LONG = 8192;

type RunEffect = Extract<Effect, { kind: 'run' }>;
type SayEffect = Extract<Effect, { kind: 'say' }>;

export function nested(world: World, programs: Programs): World {
  const sessions = openSessions();
  return {
    ...world,
    perform(effect, op) {
      switch (effect.kind) {
        case 'run':
          return run(effect, op, programs, sessions);
        case 'say':
          return say(effect, op, sessions);
        case 'close':
          sessions.closeBelow(effect.session);
          return { ok: true, value: null };
        default:
          return world.perform(effect, op);
      }
    },
  };
}

async function run(effect: RunEffect, op: Op, programs: Programs, sessions: OpenSessions): Promise<Settled<Outcome>> {
  const path = callPath(effect.agent, op);
  const prepared = programs({ agent: effect.agent, callPath: path });
  const instance = prepared instanceof Promise ? await prepared : prepared;
  const conversation = openConversation();
  const routine = instance.start({
    self: op.path,
    request: effect.input,
    conversation,
    trigger: effect.trigger,
    ...(effect.contract && { contract: effect.contract }),
    ...(effect.keep && { keep: true }),
    ...(effect.seat && { seat: effect.seat }),
  });
  const ended = named(
    await op.drive(routine, { scope: scopeOf(effect.agent, op, effect.trigger) }),
    effect.agent,
    op.path,
  );
  const outcome = effect.keep ? keep(ended) : ended;
  sessions.closeBelow(op.path, outcome.session);
  if (outcome.session === op.path) sessions.keep(op.path, { agent: effect.agent, instance, conversation });
  return { ok: true, value: outcome };

  /** The session that answered stays open: this one, unless the answer came from further down a chain. */
  function keep(outcome: Outcome): Outcome {
    if (!isAnswered(outcome) || outcome.session !== undefined) return outcome;
    return { ...outcome, session: op.path, turnsLeft: conversation.maxTurns - conversation.turns };
  }
}

async function say(effect: SayEffect, op: Op, sessions: OpenSessions): Promise<Settled<Outcome>> {
  const open = sessions.get(effect.session);
  if (open === undefined) {
    const unknown = fault('clarification_unknown', `There is no open session ${effect.session}.`);
    return { ok: true, value: broken(unknown) };
  }
  const { instance, conversation } = open;
  const routine = instance.again({
    self: effect.session,
    request: { text: effect.text },
    conversation,
    trigger: { kind: 'call' },
    keep: true,
    ...(effect.seat && { seat: effect.seat }),
  });
  const outcome = await op.drive(routine, { scope: scopeOf(open.agent, op) });
  const turnsLeft = conversation.maxTurns - conversation.turns;
  return { ok: true, value: { ...outcome, session: effect.session, turnsLeft } };
}

/** A stage that follows, or a destination, takes its predecessor's place: only those who wait for a child are above it. */
function scopeOf(agent: AgentName, op: Op, trigger?: Trigger): Scope {
  const follows = trigger?.kind === 'next' || trigger?.kind === 'handoff' || trigger?.kind === 'router';
  const { depth, purse } = op.scope;
  return { agent, depth: depth + (follows ? 0 : 1), parent: op.scope, ...(purse && { purse }) };
}

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
