// The hard bounds of a run, as a decorator: nesting depth, deadlines, budgets, and slots for model calls.
// B1. A deadline counts from the recorded beginning of its op, and a budget from what the record says was spent, so a
//     restart lengthens neither.
// B2. An op whose signal is aborted is not begun.

import type { Effect, Settled } from '../kernel/effect.ts';
import { type Fault, FaultError, fault, faultOf } from '../kernel/fault.ts';
import { broken } from '../kernel/outcome.ts';
import type { OpPath } from '../kernel/path.ts';
import { abortFault, childStop } from './abort.ts';
import { type Allowance, openPurse, type Purse, type Quote } from './purse.ts';
import { openSlots, type Slots } from './slots.ts';
import { shownWaiting } from './waiting.ts';
import type { Op, World } from './world.ts';

export interface Bounds {
  readonly maxDepth: number;
  readonly concurrency: number;
  /** What the file of this agent allows. */
  of(agent: string): AgentBounds;
  /** What the record says was spent below a path. */
  spentBelow(path: OpPath): Quote;
  now(): number;
}

export interface AgentBounds {
  readonly timeoutMs?: number;
  readonly budget?: Allowance & { readonly timeMs?: number; readonly allowUnpriced?: boolean };
}

type RunEffect = Extract<Effect, { kind: 'run' }>;
type SubagentEffect = Extract<Effect, { kind: 'subagent' }>;

export function bounded(world: World, bounds: Bounds): World {
  const slots = openSlots(bounds.concurrency);
  return {
    ...world,
    perform(effect, op) {
      switch (effect.kind) {
        case 'run':
          return runWithin(effect, op, world, bounds);
        case 'subagent':
          return helpWithin(effect, op, world, bounds, slots);
        case 'model':
          return callInSlot(effect, op, world, slots);
        case 'tool':
        case 'signal':
          return op.signal.aborted ? notBegun(op) : world.perform(effect, op); // B2
        default:
          return world.perform(effect, op);
      }
    },
  };
}

function notBegun(op: Op): Settled {
  const why = abortFault(op.signal);
  return { ok: false, fault: { ...why, details: { ...why.details, begun: false } } };
}

function runWithin(effect: RunEffect, op: Op, world: World, bounds: Bounds): Settled | Promise<Settled> {
  const refusal = refused(effect, op, bounds);
  if (refusal !== undefined) return { ok: true, value: { ...broken(refusal), agent: effect.agent } };
  const { timeoutMs, budget } = bounds.of(effect.agent);
  if (budget === undefined && timeoutMs === undefined && effect.timeoutMs === undefined)
    return world.perform(effect, op);
  const within = budget === undefined ? op : withPurse(budget, effect.agent, op, bounds);
  const deadline = nearest(effect, timeoutMs, budget?.timeMs);
  if (deadline === undefined) return world.perform(effect, within);
  return withDeadline(deadline, within, bounds, (timed) => world.perform(effect, timed));
}

function refused(effect: RunEffect, op: Op, bounds: Bounds): Fault | undefined {
  const follows = effect.trigger.chainTrigger !== undefined || effect.trigger.kind === 'router';
  const depth = op.scope.depth + (follows ? 0 : 1);
  if (depth > bounds.maxDepth) {
    const why = `${effect.agent} would run ${depth} levels deep, and limits.maxDepth is ${bounds.maxDepth}.`;
    return fault('limit/depth', why);
  }
  const refusal = op.scope.purse?.admit(depth);
  return op.since === undefined ? refusal : undefined; // the record let it begin
}

/** A helper counts as a session. One in a process of its own asks its models itself, one at a time: it holds a slot. */
function helpWithin(
  effect: SubagentEffect,
  op: Op,
  world: World,
  bounds: Bounds,
  slots: Slots,
): Settled | Promise<Settled> {
  const refusal = op.scope.purse?.admit(op.scope.depth + 1);
  if (refusal !== undefined) return { ok: false, fault: refusal };
  const ms = effect.request.timeoutSeconds * 1000;
  const late = fault('timeout', `The sub-agent of ${effect.agent} did not finish within ${ms} ms.`);
  return withDeadline({ ms, fault: late }, op, bounds, (timed) =>
    effect.limits.runner === 'in-process' ? world.perform(effect, timed) : callInSlot(effect, timed, world, slots),
  );
}

/** The same op, with a purse that everything below draws on. */
function withPurse(budget: NonNullable<AgentBounds['budget']>, agent: string, op: Op, bounds: Bounds): Op {
  const parent = op.scope.purse;
  const purse: Purse = openPurse({
    agent,
    allowance: budget,
    depth: op.scope.depth + 1,
    ...(parent && { parent }),
    spent: bounds.spentBelow(op.path), // B1
    allowUnpriced: budget.allowUnpriced === true,
  });
  return { ...op, scope: { ...op.scope, purse } };
}

interface Deadline {
  readonly ms: number;
  readonly fault: Fault;
}

/** The first deadline to pass, of those that the asker, the agent's file and its budget set. */
function nearest(effect: RunEffect, ownMs: number | undefined, budgetMs: number | undefined): Deadline | undefined {
  const { agent } = effect;
  const late = (ms: number): Deadline => ({ ms, fault: fault('timeout', `${agent} did not finish within ${ms} ms.`) });
  const deadlines = [effect.timeoutMs, ownMs].filter((ms) => ms !== undefined).map(late);
  if (budgetMs !== undefined) {
    const why = `The budget of ${agent} is reached: ${budgetMs} ms have passed.`;
    deadlines.push({ ms: budgetMs, fault: fault('budget/exceeded', why, { agent, unit: 'time' }) });
  }
  return deadlines.sort((left, right) => left.ms - right.ms)[0];
}

async function withDeadline(
  deadline: Deadline,
  op: Op,
  bounds: Bounds,
  work: (op: Op) => Settled | Promise<Settled>,
): Promise<Settled> {
  const timed = childStop(op.signal);
  const since = op.since ?? bounds.now();
  const expire = () => timed.signal.abort(new FaultError(deadline.fault));
  const left = Math.min(deadline.ms, Math.max(0, since + deadline.ms - bounds.now())); // B1; a clock set back adds nothing
  const timer = setTimeout(expire, left);
  try {
    return await work({ ...op, signal: timed.signal });
  } finally {
    clearTimeout(timer);
    timed.unlink();
  }
}

function callInSlot(effect: Effect, op: Op, world: World, slots: Slots): Settled | Promise<Settled> {
  if (op.signal.aborted) return notBegun(op); // B2
  const slot = slots.acquire(op.signal);
  return slot instanceof Promise ? waitForSlot(slot, effect, op, world) : callAndRelease(slot, effect, op, world);
}

async function waitForSlot(slot: Promise<() => void>, effect: Effect, op: Op, world: World): Promise<Settled> {
  let release: () => void;
  try {
    release = await shownWaiting(world.show, { path: op.path, for: 'slot', names: [] }, slot);
  } catch (thrown) {
    return { ok: false, fault: { ...faultOf(thrown), details: { begun: false } } };
  }
  return callAndRelease(release, effect, op, world);
}

function callAndRelease(release: () => void, effect: Effect, op: Op, world: World): Settled | Promise<Settled> {
  let answer: Settled | Promise<Settled> | undefined;
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
