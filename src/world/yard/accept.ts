// Who of those that a session wants to spawn is accepted. Counts what there is and what it accepts itself, in the
// order of the orders, so that no race can pass a limit.

import type { RunId } from '../../journal/event.ts';
import { childPath } from '../../kernel/path.ts';
import { type Spawned, spawnedSession, type SpawnReceipt } from '../../kernel/spawned.ts';
import type { Op } from '../world.ts';
import type { Registry, SpawnEffect } from './registry.ts';

export interface Acceptance {
  readonly registry: Registry;
  readonly run: RunId;
}

export function accept({ session, orders, limits }: SpawnEffect, op: Op, { registry, run }: Acceptance): Spawned {
  const depth = op.scope.spawned?.depth ?? 0;
  let total = registry.entries.size;
  let children = 0;
  for (const entry of registry.entries.values()) {
    if (entry.parent === session && entry.outcome === undefined) children += 1;
  }
  const receipts = orders.map((order, index): SpawnReceipt => {
    if (depth >= limits.maxDepth) return forbidden('maxDepth', 'levels of spawned runs', depth, limits.maxDepth);
    if (children >= limits.maxChildren)
      return forbidden('maxChildren', 'unfinished children of this session', children, limits.maxChildren);
    if (total >= limits.maxTotal) return forbidden('maxTotal', 'spawned runs in this run', total, limits.maxTotal);
    children += 1;
    total += 1;
    const life = childPath(op.path, index);
    const own = spawnedSession(life, order.after.length > 0);
    return { status: 'accepted', run: `${run}~${life}`, sessionKey: `${run}:${own}` };
  });
  return { group: `${run}~${op.path}`, receipts };
}

const forbidden = (limit: string, of: string, current: number, maximum: number): SpawnReceipt => ({
  status: 'forbidden',
  error: `There are ${current} ${of}, and spawn.${limit} allows ${maximum}.`,
  current,
  maximum,
});
