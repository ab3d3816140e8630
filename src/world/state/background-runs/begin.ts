// A spawned run begins: it queues for a slot, and is refused one if it was cancelled before.

import type { EffectOf, EffectValues, SettledResult } from '../../../kernel/effect.ts';
import { abortFault } from '../../abort.ts';
import type { Op } from '../../world.ts';
import type { BackgroundState } from './background-state.ts';
import type { SpawnedRun } from './spawn-registry.ts';

export async function begin(
  { run, results }: EffectOf<'begin'>,
  op: Op,
  { registry, reported, slots, stops, waits, now }: BackgroundState,
): Promise<SettledResult<EffectValues['begin']>> {
  const spawned = registry.runs.get(run) as SpawnedRun;
  const signal = stops.signalBefore(run, op.signal);
  if (signal.aborted) return { ok: true, value: { began: false, fault: abortFault(signal) } };
  let hasSlot = false;
  const stopQueueing = slots.acquire(spawned, () => {
    hasSlot = true;
    waits.wake();
  });
  if ((await waits.until(() => hasSlot, { signal, now })) !== 'done') {
    stopQueueing();
    return { ok: true, value: { began: false, fault: abortFault(signal) } };
  }
  if (results === undefined) return { ok: true, value: { began: true } };
  const over = results.filter((result) => reported.isOver(result));
  return { ok: true, value: { began: true, ended: reported.reports(over, true) } };
}
