// The hard bounds of a run, as a decorator: nesting depth, deadlines, budgets, and slots for model calls.
// BOUND-1. A deadline counts the time of work since the recorded beginning of its op, and a budget what the record says
//          was spent, so a restart extends neither. The time between a crash and a resume is no time of work. Both hold
//          until the session is closed: a further message draws on the same ones. A session that began counts as spent;
//          one whose beginning is recorded with nothing below it is judged anew.
// BOUND-2. An op whose signal is aborted is not begun.

import type { Effect, EffectOf, SettledResult } from '../../kernel/effect.ts';
import { type Fault, fault, faultOf } from '../../kernel/fault.ts';
import { brokenOutcome } from '../../kernel/outcome.ts';
import type { OpPath } from '../../kernel/path.ts';
import { leastLimits, type SpawnLimits } from '../../kernel/spawned.ts';
import { triggerTraits } from '../../patterns/trigger-traits.ts';
import { abortFault } from '../abort.ts';
import type { Deadline } from '../deadline.ts';
import type { BudgetLimits, RecordedSpending, RunBudget } from '../run-budget.ts';
import { openRunBudget } from '../state/budgets.ts';
import type { OpenSessions } from '../state/sessions.ts';
import { openSlots, type Slots } from '../state/slots.ts';
import { type DeadlineClock, withinAll, withTimeout } from '../timeout.ts';
import { shownWaiting } from '../waiting.ts';
import type { Op, World } from '../world.ts';

interface RunBounds extends DeadlineClock {
  readonly maxDepth: number;
  readonly concurrency: number;
  /** The bounds in the file of this agent. */
  of(agent: string): AgentBounds;
  /** The spending below a path, by the record. */
  spentBelow(path: OpPath): RecordedSpending;
}

export interface AgentBounds {
  readonly timeoutMs?: number;
  readonly budget?: BudgetLimits & { readonly timeMs?: number; readonly allowUnpriced?: boolean };
  readonly spawn?: SpawnLimits;
}

export function boundedWorld(world: World, bounds: RunBounds, sessions: Pick<OpenSessions, 'get'>): World {
  const slots = openSlots(bounds.concurrency);
  return {
    perform(effect, op) {
      switch (effect.kind) {
        case 'run':
          return runWithin(effect, op, world, bounds);
        case 'say': {
          const scope = sessions.get(effect.session)?.scope;
          return scope === undefined ? world.perform(effect, op) : sayWithin(effect, { ...op, scope }, world, bounds);
        }
        case 'model':
          return callInSlot(effect, op, world, slots);
        case 'tool':
        case 'approval':
          return op.signal.aborted ? notBegun(op) : world.perform(effect, op); // BOUND-2
        default:
          return world.perform(effect, op);
      }
    },
  };
}

function notBegun(op: Op): SettledResult {
  return { ok: false, fault: unsent(abortFault(op.signal)) };
}

const unsent = (why: Fault): Fault => ({ ...why, details: { ...why.details, begun: false } });

function runWithin(
  effect: EffectOf<'run'>,
  op: Op,
  world: World,
  bounds: RunBounds,
): SettledResult | Promise<SettledResult> {
  const refusal = refused(effect, op, bounds);
  if (refusal !== undefined) return { ok: true, value: { ...brokenOutcome(refusal), agent: effect.agent } };
  const { agent } = effect;
  const askedMs = effect.limits?.ms;
  const { timeoutMs, budget, spawn } = bounds.of(agent);
  const limited = spawn === undefined ? op : withLimits(spawn, agent, op);
  if (budget === undefined && timeoutMs === undefined && askedMs === undefined) return world.perform(effect, limited);
  const paid = budget === undefined ? limited : withRunBudget(budget, agent, limited, bounds);
  const own = deadlineOf(agent, timeoutMs, budget?.timeMs, op.scope.deadline);
  const asked = askedMs === undefined ? undefined : deadline(askedMs, late(agent, askedMs));
  const run = (timed: Op) =>
    own === undefined
      ? world.perform(effect, timed)
      : withTimeout(own, { ...timed, scope: { ...timed.scope, deadline: own } }, bounds, (held) =>
          world.perform(effect, held),
        );
  return asked === undefined ? run(paid) : withTimeout(asked, paid, bounds, run);
}

/** A further message to a session works under the budget and the deadlines that the session began with (BOUND-1). */
function sayWithin(
  effect: EffectOf<'say'>,
  op: Op,
  world: World,
  bounds: RunBounds,
): SettledResult | Promise<SettledResult> {
  return withinAll(op.scope.deadline, op, bounds, (timed) => world.perform(effect, timed));
}

function refused(effect: EffectOf<'run'>, op: Op, bounds: RunBounds): Fault | undefined {
  const { deepens, limitsDepth } = triggerTraits(effect.trigger);
  const depth = op.scope.depth + (deepens ? 1 : 0);
  if (depth > bounds.maxDepth && limitsDepth !== true) {
    const why = `${effect.agent} would run ${depth} levels deep, and limits.maxDepth is ${bounds.maxDepth}.`;
    return fault('limit/depth', why);
  }
  return notAdmitted(op, depth);
}

/** A session that began is counted by what the record says was spent (BOUND-1). */
const notAdmitted = (op: Op, depth: number): Fault | undefined =>
  op.hasBegun ? undefined : op.scope.runBudget?.admit(depth);

/** The same op, in which no more may be spawned than this agent and all above it allow. */
const withLimits = (spawn: SpawnLimits, agent: string, op: Op): Op => ({
  ...op,
  scope: { ...op.scope, spawnLimits: leastLimits(op.scope.spawnLimits, agent, spawn) },
});

/** The same op, with a budget that everything below draws on. */
function withRunBudget(budget: NonNullable<AgentBounds['budget']>, agent: string, op: Op, bounds: RunBounds): Op {
  const parent = op.scope.runBudget;
  const runBudget: RunBudget = openRunBudget({
    agent,
    at: op.path,
    budgetLimits: budget,
    depth: op.scope.depth + 1,
    ...(parent && { parent }),
    spent: bounds.spentBelow(op.path), // BOUND-1
    allowUnpriced: budget.allowUnpriced === true,
  });
  return { ...op, scope: { ...op.scope, runBudget } };
}

const deadline = (ms: number, why: Fault, parent?: Deadline): Deadline => ({
  ms,
  fault: why,
  usedMs: 0,
  isRunning: false,
  parent,
});

const late = (agent: string, ms: number): Fault =>
  fault('timeout', `${agent} did not finish within ${ms} ms.`, { agent, unit: 'ms', limit: ms });

/** The nearer one of the deadlines that the agent's file and its budget set. */
function deadlineOf(
  agent: string,
  ownMs: number | undefined,
  budgetMs: number | undefined,
  parent: Deadline | undefined,
): Deadline | undefined {
  if (budgetMs === undefined || (ownMs !== undefined && ownMs <= budgetMs))
    return ownMs === undefined ? undefined : deadline(ownMs, late(agent, ownMs), parent);
  const why = `The budget of ${agent} is reached: ${budgetMs} ms have passed.`;
  return deadline(budgetMs, fault('budget/exceeded', why, { agent, unit: 'ms', limit: budgetMs }), parent);
}

function callInSlot(effect: Effect, op: Op, world: World, slots: Slots): SettledResult | Promise<SettledResult> {
  if (op.signal.aborted) return notBegun(op); // BOUND-2
  const slot = slots.acquire(op.signal);
  return slot instanceof Promise ? waitForSlot(slot, effect, op, world) : callAndRelease(slot, effect, op, world);
}

async function waitForSlot(slot: Promise<() => void>, effect: Effect, op: Op, world: World): Promise<SettledResult> {
  let release: () => void;
  try {
    release = await shownWaiting(op.show, { path: op.path, for: 'slot', names: [] }, slot);
  } catch (thrown) {
    return { ok: false, fault: unsent(faultOf(thrown)) };
  }
  return callAndRelease(release, effect, op, world);
}

function callAndRelease(
  release: () => void,
  effect: Effect,
  op: Op,
  world: World,
): SettledResult | Promise<SettledResult> {
  let answer: SettledResult | Promise<SettledResult> | undefined;
  try {
    answer = world.perform(effect, op);
  } finally {
    if (!(answer instanceof Promise)) release();
  }
  if (!(answer instanceof Promise)) return answer;
  return answer.then(
    (settled) => {
      release();
      return settled;
    },
    (thrown: unknown) => {
      release();
      throw thrown;
    },
  );
}
