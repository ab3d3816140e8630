// The hard bounds of a run, as a decorator: nesting depth, deadlines, and slots for model calls.
// B1. A deadline counts from the recorded beginning of its op, so a restart does not lengthen it.
// B2. An op whose signal is aborted is not begun.

import type { Effect, Settled } from '../kernel/effect.ts';
import { FaultError, fault, faultOf } from '../kernel/fault.ts';
import { broken } from '../kernel/outcome.ts';
import { abortFault, childSignal } from './abort.ts';
import { openSlots, type Slots } from './slots.ts';
import type { Op, World } from './world.ts';

export interface Bounds {
  readonly maxDepth: number;
  readonly concurrency: number;
  /** How long a run of this agent may take; undefined for as long as it takes. */
  timeoutMs(agent: string): number | undefined;
  now(): number;
}

type RunEffect = Extract<Effect, { kind: 'run' }>;

export function bounded(world: World, bounds: Bounds): World {
  const slots = openSlots(bounds.concurrency);
  return {
    ...world,
    perform(effect, op) {
      switch (effect.kind) {
        case 'run':
          return runWithin(effect, op, world, bounds);
        case 'model':
          return callInSlot(effect, op, world, slots);
        case 'tool':
        case 'signal':
          if (op.signal.aborted) return { ok: false, fault: abortFault(op.signal) }; // B2
          return world.perform(effect, op);
        default:
          return world.perform(effect, op);
      }
    },
  };
}

async function runWithin(effect: RunEffect, op: Op, world: World, bounds: Bounds): Promise<Settled> {
  const follows = effect.trigger.chainTrigger !== undefined || effect.trigger.kind === 'router';
  if (!follows && op.scope.depth >= bounds.maxDepth) {
    const why = `${effect.agent} would run ${op.scope.depth + 1} levels deep, and limits.maxDepth is ${bounds.maxDepth}.`;
    return { ok: true, value: { ...broken(fault('limit/depth', why)), agent: effect.agent } };
  }
  const limits = [effect.timeoutMs, bounds.timeoutMs(effect.agent)].filter((limit) => limit !== undefined);
  if (limits.length === 0) return world.perform(effect, op);
  return withDeadline(Math.min(...limits), effect.agent, op, bounds, (timed) => world.perform(effect, timed));
}

async function withDeadline(
  limitMs: number,
  agent: string,
  op: Op,
  bounds: Bounds,
  work: (op: Op) => Settled | Promise<Settled>,
): Promise<Settled> {
  const timed = childSignal(op.signal);
  const since = op.since ?? bounds.now();
  const expire = () => timed.abort(new FaultError(fault('timeout', `${agent} did not finish within ${limitMs} ms.`)));
  const timer = setTimeout(expire, Math.max(0, since + limitMs - bounds.now())); // B1
  const drive: Op['drive'] = (routine, within) => op.drive(routine, { signal: timed.signal, ...within });
  try {
    return await work({ ...op, signal: timed.signal, drive });
  } finally {
    clearTimeout(timer);
    timed.unlink();
  }
}

function callInSlot(effect: Effect, op: Op, world: World, slots: Slots): Settled | Promise<Settled> {
  if (op.signal.aborted) return { ok: false, fault: abortFault(op.signal) }; // B2
  const slot = slots.acquire(op.signal);
  return slot instanceof Promise ? waitForSlot(slot, effect, op, world) : callAndRelease(slot, effect, op, world);
}

async function waitForSlot(slot: Promise<() => void>, effect: Effect, op: Op, world: World): Promise<Settled> {
  try {
    return await callAndRelease(await slot, effect, op, world);
  } catch (thrown) {
    if (thrown instanceof FaultError && op.signal.aborted) return { ok: false, fault: faultOf(thrown) };
    throw thrown;
  }
}

async function callAndRelease(release: () => void, effect: Effect, op: Op, world: World): Promise<Settled> {
  try {
    return await world.perform(effect, op);
  } finally {
    release();
  }
}
