// Waiting for other runs to end: a spawned run waits for its dependencies, or a session for runs that it names. The
// session of a spawned run holds no slot while it waits.

import type { EffectOf, SettledResult } from '../../../kernel/effect.ts';
import type { AwaitedRuns } from '../../../kernel/spawned.ts';
import type { StopSignal } from '../../../kernel/stop-signal.ts';
import type { Op } from '../../world.ts';
import type { BackgroundState } from './background-state.ts';

export async function awaitRuns(
  effect: EffectOf<'await-runs'>,
  op: Op,
  state: BackgroundState,
): Promise<SettledResult<AwaitedRuns>> {
  const { outside, reported, stops, waits, now } = state;
  const isDone = (): boolean => effect.runs.filter((run) => reported.isOver(run)).length >= effect.need;
  const signal = effect.by === undefined ? op.signal : stops.signalBefore(effect.by, op.signal);
  const unknown = effect.runs.filter((run) => !reported.isKnown(run));
  const stopWatching = outside.watch(unknown, (report) => {
    reported.addOutside(report);
    waits.wake();
  });
  const takeSlotAgain = isDone() ? undefined : releaseSlot(effect, op, state);
  try {
    const deadline = effect.withinMs === undefined ? undefined : countsFrom(effect, op, state) + effect.withinMs;
    const over = await waits.until(isDone, { signal, deadline, now });
    await takeSlotAgain?.(signal);
    return { ok: true, value: { over, runs: reported.reports(effect.runs, effect.results) } };
  } finally {
    stopWatching();
  }
}

/** The moment from which `withinMs` counts. */
function countsFrom(
  { by }: EffectOf<'await-runs'>,
  op: Op,
  { run: ownRun, since, registry, now }: BackgroundState,
): number {
  if (by === ownRun) return since ?? now();
  const spawned = by === undefined ? undefined : registry.runs.get(by);
  return spawned?.spawnedAt ?? op.since ?? now();
}

/** Releases the slot of the run that the waiting session is part of. Returns how to take it again. */
function releaseSlot(
  effect: EffectOf<'await-runs'>,
  op: Op,
  { registry, slots, waits, now }: BackgroundState,
): ((signal: StopSignal) => Promise<void>) | undefined {
  const own = effect.by === undefined ? op.scope.spawned?.run : undefined;
  const spawned = own === undefined ? undefined : registry.runs.get(own);
  if (spawned === undefined) return undefined;
  slots.release(spawned.run);
  return async (signal) => {
    let hasSlot = false;
    const stopQueueing = slots.acquireAgain(spawned, () => {
      hasSlot = true;
      waits.wake();
    });
    if ((await waits.until(() => hasSlot, { signal, now })) !== 'done') stopQueueing(); // a run that ends needs no slot
  };
}
