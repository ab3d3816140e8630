// Decides which of the runs that a session wants to spawn are accepted: within its own limits and those of all above
// it. It counts the runs that exist and those it accepts itself, in the order of the orders, so that no race can pass a
// limit.

import type { RunId } from '../../../journal/event.ts';
import type { EffectOf } from '../../../kernel/effect.ts';
import { childPath } from '../../../kernel/path.ts';
import {
  type HeldLimits,
  leastLimits,
  type SpawnAnswer,
  type SpawnLimits,
  type SpawnReceipt,
  spawnedSession,
} from '../../../kernel/spawned.ts';
import type { Op } from '../../world.ts';
import type { SpawnRegistry } from './spawn-registry.ts';

export function accept(
  { session, orders, limits }: EffectOf<'spawn'>,
  op: Op,
  { registry, run }: { readonly registry: SpawnRegistry; readonly run: RunId },
): SpawnAnswer {
  const { agent, spawnLimits, spawned } = op.scope;
  const held = leastLimits(spawnLimits, agent, limits);
  const forbidden = refusal(held, agent);
  const depth = spawned?.depth ?? 0;
  let total = registry.runs.size;
  let children = 0;
  for (const one of registry.runs.values()) {
    if (one.parent === session && one.outcome === undefined) children += 1;
  }
  const receipts = orders.map((order, index): SpawnReceipt => {
    if (depth >= held.maxDepth.maximum) return forbidden('maxDepth', 'levels of spawned runs', depth);
    if (children >= held.maxChildren.maximum)
      return forbidden('maxChildren', 'unfinished children of this session', children);
    if (total >= held.maxTotal.maximum) return forbidden('maxTotal', 'spawned runs in this run', total);
    children += 1;
    total += 1;
    const task = childPath(op.path, index);
    const own = spawnedSession(task, order.after.length > 0);
    const accepted = { status: 'accepted', run: `${run}~${task}`, sessionKey: `${run}:${own}` } as const;
    if (order.after.length === 0) return accepted;
    const waitingFor = order.after.filter((one) => registry.runs.get(one)?.outcome === undefined);
    return { ...accepted, waitingFor };
  });
  const { maximum } = held.maxConcurrent;
  const group = `${run}~${op.path}`;
  return maximum < limits.maxConcurrent ? { group, receipts, maxConcurrent: maximum } : { group, receipts };
}

const refusal =
  (held: HeldLimits, spawner: string) =>
  (limit: keyof SpawnLimits, of: string, current: number): SpawnReceipt => {
    const { agent, maximum } = held[limit];
    const whose = agent === spawner ? `spawn.${limit}` : `spawn.${limit} of ${agent}, which is above you,`;
    return {
      status: 'forbidden',
      error: `There are ${current} ${of}, and ${whose} allows ${maximum}.`,
      current,
      maximum,
    };
  };
