// Runs within runs: drives a child agent's routine under the op that asked for it, keeps the sessions that may be
// asked again, and ends them with their parent. Leaves go through to the world below.
// NESTED-1. A run ends after everything that was launched in it; if that fails, so does the run. A session that stays
//           open keeps what it launched until it is closed.

import type { AgentName, EffectOf, Routine, SessionRef, SettledResult, Trigger } from '../../kernel/effect.ts';
import { fault } from '../../kernel/fault.ts';
import { brokenOutcome, isAnswered, isBroken, isMadeByMap, isPause, type Outcome } from '../../kernel/outcome.ts';
import type { OpPath } from '../../kernel/path.ts';
import { openConversation, type SessionConversation } from '../../kernel/session/conversation.ts';
import type { SessionInput } from '../../kernel/session/session-spec.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import { type Background, openBackground } from '../background.ts';
import { drive, type RoutinePlace } from '../drive.ts';
import { type LaunchHooks, nothingWaits } from '../state/background-runs/background-runs.ts';
import type { Instance, OpenSessions } from '../state/sessions.ts';
import type { Op, Scope, Show, World } from '../world.ts';

export interface AgentCall {
  readonly agent: AgentName;
  /** The run that the agent is made ready for. */
  readonly path: OpPath;
  readonly trigger: Trigger;
  /** Stops the opening of what the agent needs before it can run. */
  readonly signal: StopSignal;
  readonly show?: Show | undefined;
  /** The op that asks for the run. Questions that have to be answered before it begins are asked below it. Absent: none can be. */
  readonly op?: Op;
  /** The names of the agents from the run's first to this one. */
  callPath(): string;
}

/** Makes an agent ready to run: opens its tools if it has to, and answers with a fault if that fails. */
export type Programs = (call: AgentCall) => SettledResult<Instance> | Promise<SettledResult<Instance>>;

/** From this many characters on, an answer can be read back by its handle. */
const LONG = 8192;
/** Answers of items stand beside each other in one prompt, where each of them may have to be shortened. */
const LONG_ITEM = 400;

export function nestedWorld(
  world: World,
  programs: Programs,
  sessions: OpenSessions,
  launching: LaunchHooks = nothingWaits,
): World {
  const around: NestedContext = { programs, sessions, launching };
  return {
    perform(effect, op) {
      switch (effect.kind) {
        case 'run':
          launching.throwIfFailed();
          return run(effect, op, around);
        case 'say':
          return say(effect, op, around);
        case 'model':
          launching.throwIfFailed();
          return world.perform(effect, op);
        case 'close':
          return closed(effect.session, around);
        default:
          return world.perform(effect, op);
      }
    },
  };
}

interface NestedContext {
  readonly programs: Programs;
  readonly sessions: OpenSessions;
  readonly launching: LaunchHooks;
}

async function run(effect: EffectOf<'run'>, op: Op, around: NestedContext): Promise<SettledResult<Outcome>> {
  const { programs, sessions, launching } = around;
  const { spawned } = effect.trigger;
  const inherits = triggerTraits(effect.trigger).isHop && effect.input.shared === undefined && isSharing(op.scope);
  const sharing: SharedScope = inherits ? op.scope : effect.input;
  const signal = spawned === undefined ? op.signal : launching.opened(spawned, op);
  const preparing = programs({
    agent: effect.agent,
    path: op.path,
    trigger: effect.trigger,
    signal,
    show: op.show,
    op,
    callPath: () => callPath(effect.agent, op),
  });
  const prepared = preparing instanceof Promise ? await preparing : preparing;
  if (!prepared.ok) {
    const unopened = named({ ...brokenOutcome(prepared.fault), agent: effect.agent }, effect.agent, op.path);
    return { ok: true, value: unopened };
  }
  const instance = prepared.value;
  const begun: SessionInput = {
    self: op.path,
    request: inherits ? { ...effect.input, ...present(sharing) } : effect.input,
    conversation: openConversation(),
    trigger: effect.trigger,
    contract: effect.contract,
    keep: effect.keep,
    seat: effect.seat,
    maxTurns: effect.limits?.turns,
  };
  const scope = scopeOf(effect.agent, op, effect.trigger, sharing);
  const background = openBackground(launching, effect.keep ? (op.lasting ?? signal) : signal);
  const driven = await driveAll(
    instance.start(begun),
    { path: op.path, scope, signal, background, show: op.show },
    op,
    launching,
  );
  const long = effect.trigger.kind === 'each' ? LONG_ITEM : LONG;
  const outcome = keptOrNot(named(driven, effect.agent, op.path, long), effect, op.path, begun.conversation);
  const ending = closeBelow(op.path, around, outcome.session);
  if (ending !== undefined) await ending;
  if (outcome.session === op.path) sessions.keep(op.path, { agent: effect.agent, instance, begun, scope, background });
  return { ok: true, value: outcome };
}

/** The session that answered stays open if asked for: this one, unless one further down a chain answered. */
function keptOrNot(
  outcome: Outcome,
  { keep }: EffectOf<'run'>,
  session: SessionRef,
  talk: SessionConversation,
): Outcome {
  if (keep === undefined) return outcome.session === undefined ? outcome : notKept(outcome);
  if (!isAnswered(outcome) || outcome.session !== undefined || isMadeByMap(outcome)) return outcome;
  return { ...outcome, session, turnsLeft: turnsLeft(talk) };
}

function notKept(outcome: Outcome): Outcome {
  const { session: _session, turnsLeft: _turnsLeft, ...rest } = outcome;
  return rest;
}

const turnsLeft = ({ maxTurns, turns }: SessionConversation): number => maxTurns - turns;

/** Drives a routine to its end, and then waits for what it launched (NESTED-1). */
async function driveAll(
  routine: Routine<Outcome>,
  place: RoutinePlace & { readonly background: Background },
  op: Op,
  launching: LaunchHooks,
): Promise<Outcome> {
  let outcome: Outcome | undefined;
  try {
    outcome = await drive(routine, place, op.world);
    return outcome;
  } catch (thrown) {
    launching.fail(thrown);
    throw thrown;
  } finally {
    // Runs that a participant launched go on while it waits for its team's next cycle.
    const left = outcome !== undefined && isPause(outcome) ? undefined : place.background.settled();
    if (left !== undefined) await left;
  }
}

async function say(
  effect: EffectOf<'say'>,
  op: Op,
  { sessions, launching }: NestedContext,
): Promise<SettledResult<Outcome>> {
  const { session, text, seat } = effect;
  const open = sessions.get(session);
  if (open === undefined) {
    return { ok: true, value: brokenOutcome(fault('clarification_unknown', `There is no open session ${session}.`)) };
  }
  const { instance, begun, background } = open;
  const { conversation, request } = begun;
  if (turnsLeft(conversation) < 1) {
    const why = fault('clarification_no_turns', `${open.agent} has spent all its turns.`);
    return { ok: true, value: { ...brokenOutcome(why), agent: open.agent, session, turnsLeft: 0 } };
  }
  const routine = instance.again({ ...begun, request: { text, ...present(request) }, ...(seat && { seat }) });
  const place = { path: op.path, scope: open.scope, signal: op.signal, background, show: op.show };
  const outcome = await driveAll(routine, place, op, launching);
  return { ok: true, value: { ...outcome, session, turnsLeft: turnsLeft(conversation) } };
}

const CLOSED: SettledResult<null> = { ok: true, value: null };

function closed(session: SessionRef, around: NestedContext): SettledResult<null> | Promise<SettledResult<null>> {
  return closeBelow(session, around)?.then(() => CLOSED) ?? CLOSED;
}

/** Ends the open sessions at or below a path, and what they launched. Returns nothing to wait for if none is open. */
function closeBelow(path: OpPath, around: NestedContext, except?: SessionRef): Promise<void> | undefined {
  const removed = around.sessions.removeBelow(path, except);
  return removed.length === 0 ? undefined : endAll(removed, around.launching);
}

async function endAll(sessions: ReturnType<OpenSessions['removeBelow']>, launching: LaunchHooks): Promise<void> {
  for (const [session, { background }] of sessions) {
    if (!background.isUsed) continue;
    await launching.endBelow(session, 'The session that spawned it has ended.');
    await background.settled();
  }
}

/** A later stage or a destination replaces its predecessor: only agents that wait for a child are above it. */
function scopeOf(agent: AgentName, op: Op, trigger: Trigger, sharing: SharedScope): Scope {
  const { deepens } = triggerTraits(trigger);
  const { depth, runBudget, deadline, spawnLimits, isolation } = op.scope;
  const run = trigger.spawned;
  const spawned = run === undefined ? op.scope.spawned : { run, depth: (op.scope.spawned?.depth ?? 0) + 1 };
  const { shared, family, handles, sharedHandles } = sharing;
  return {
    agent,
    depth: depth + (deepens ? 1 : 0),
    parent: op.scope,
    runBudget,
    deadline,
    spawned,
    spawnLimits,
    isolation,
    shared,
    family,
    handles,
    sharedHandles,
  };
}

/** The shared contexts that a session can read, and the handles that it was given with them. */
type SharedScope = Pick<Scope, 'shared' | 'family' | 'handles' | 'sharedHandles'>;

const isSharing = ({ shared, family, handles }: SharedScope): boolean =>
  shared !== undefined || family !== undefined || handles !== undefined;

const present = ({ shared, family, handles, sharedHandles }: SharedScope) => ({
  ...(shared && { shared }),
  ...(family && { family }),
  ...(handles && { handles }),
  ...(sharedHandles && { sharedHandles }),
});

function callPath(agent: AgentName, op: Op): string {
  const names = [agent];
  for (let scope: Scope | undefined = op.scope; scope !== undefined && scope.agent !== ''; scope = scope.parent)
    names.unshift(scope.agent);
  return names.join('/');
}

/** Long answers get a handle, and failures get the stage at which they happened. */
function named(outcome: Outcome, agent: AgentName, path: OpPath, long = LONG): Outcome {
  if (isBroken(outcome)) {
    return outcome.fault.stage === undefined
      ? { ...outcome, fault: { ...outcome.fault, stage: outcome.agent ?? agent } }
      : outcome;
  }
  return 'text' in outcome && outcome.text.length > long && outcome.handle === undefined
    ? { ...outcome, handle: path }
    : outcome;
}
