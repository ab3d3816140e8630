// A model with the gates that its attempts must pass: the budget of the call, then the limits of its provider.
// GATE-1. A call reserves money before it waits for a provider's slot, and holds no such slot while it waits for money.
//         So calls of other runs never wait for the budget of this one.

import { FaultError, faultOf } from '../../kernel/fault.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import type { Gate, GatedModel, Pass } from '../../models/gate.ts';
import type { ProviderLimit, ResolvedModel } from '../../models/provider.ts';
import { abortFault } from '../../world/abort.ts';
import type { RunBudget } from '../../world/run-budget.ts';
import { openSharedSlots, type SharedSlots } from '../../world/state/slots.ts';
import { budgetGate } from './budgeted.ts';

/** Shows that a call waits for a slot of these providers. */
type ShowWaiting = <Value>(names: readonly string[], work: Promise<Value>) => Promise<Value>;

/** A slot that processes of other machines share too. */
export type FleetSlot = (key: string, count: number, signal: AbortSignal) => Promise<() => void>;

export function gatedModel(
  resolved: ResolvedModel,
  {
    runBudget,
    waiting = (_names, work) => work,
    slot,
  }: {
    readonly runBudget: RunBudget | undefined;
    readonly waiting?: ShowWaiting;
    /** Absent: a provider's limit holds within this process. */
    readonly slot?: FleetSlot | undefined;
  },
): GatedModel {
  const { limits } = resolved;
  const budget = runBudget === undefined ? undefined : budgetGate(resolved, runBudget);
  const provider = limits === undefined ? undefined : providerGate(limits, resolved.provider.id, { waiting, slot });
  const gate = budget === undefined || provider === undefined ? (budget ?? provider) : inTurn(budget, provider);
  return gate === undefined ? resolved : { ...resolved, gate };
}

/** GATE-1. */
const inTurn = (first: Gate, second: Gate): Gate => ({
  async enter(request, signal) {
    const outer = await first.enter(request, signal);
    if ('code' in outer) return outer;
    const inner = await second.enter(outer.request, signal);
    if ('code' in inner) {
      await outer.leave({ ok: false, fault: inner }); // it did not begin, and costs nothing
      return inner;
    }
    return {
      request: inner.request,
      async leave(result) {
        await inner.leave(result);
        return outer.leave(result);
      },
    };
  },
});

/** One for each provider of this process, whichever run its calls belong to. */
const inProcess = new Map<string, SharedSlots>();

function slotsOf(key: string): SharedSlots {
  const slots = inProcess.get(key) ?? openSharedSlots(() => inProcess.delete(key));
  inProcess.set(key, slots);
  return slots;
}

/** A process asks for no more of the fleet's slots than its own limit allows: calls wait in line here first. */
const providerGate = (
  limits: readonly ProviderLimit[],
  provider: string,
  { waiting, slot }: { readonly waiting: ShowWaiting; readonly slot: FleetSlot | undefined },
): Gate => ({
  async enter(request, signal) {
    const releases: (() => void)[] = [];
    const releaseAll = (): void => {
      for (const release of releases.splice(0)) release();
    };
    try {
      for (const limit of limits) {
        const own = acquire(limit, signal);
        releases.push(own instanceof Promise ? await waiting([provider], own) : own);
        if (slot !== undefined) releases.push(await waiting([provider], inFleet(slot, limit, signal)));
      }
    } catch (thrown) {
      releaseAll();
      const why = faultOf(thrown);
      return { ...why, details: { ...why.details, begun: false } };
    }
    const pass: Pass = {
      request,
      async leave() {
        releaseAll();
        return undefined;
      },
    };
    return pass;
  },
});

const acquire = ({ key, count }: ProviderLimit, signal: StopSignal): Promise<() => void> | (() => void) =>
  slotsOf(key).acquire(signal, count);

/** Rejects with the reason of the signal. */
async function inFleet(slot: FleetSlot, { key, count }: ProviderLimit, signal: StopSignal): Promise<() => void> {
  const stopped = new AbortController();
  const stop = (): void => stopped.abort(new FaultError(abortFault(signal)));
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  try {
    return await slot(key, count, stopped.signal);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
