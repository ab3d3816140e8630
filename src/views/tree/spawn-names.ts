// The names of spawned runs: the labels that they got from the sessions that spawned them.

import type { RunEvent } from '../../journal/event.ts';
import type { SpawnAnswer, SpawnId, SpawnOrder } from '../../kernel/spawned.ts';

export function spawnNames() {
  const labels = new Map<SpawnId, string>();
  return {
    /** The label, or the id if there is none. */
    of: (run: SpawnId): string => labels.get(run) ?? run,
    add(event: RunEvent): void {
      if (event.type === 'run-start') {
        for (const { run, label } of event.after?.runs ?? []) labels.set(run, label);
        for (const { run, label } of Object.values(event.after?.references ?? {})) labels.set(run, label);
      } else if (event.type === 'op' && event.kind === 'spawn') {
        for (const { run, order } of acceptedSpawns(event.detail, event.value)) labels.set(run, order.label);
      }
    },
  };
}

export type SpawnNames = ReturnType<typeof spawnNames>;

/** The runs that a `spawn` op started, each with its place among the orders. */
export function acceptedSpawns(detail: unknown, value: unknown) {
  const { orders } = detail as { readonly orders: readonly SpawnOrder[] };
  const { receipts } = value as SpawnAnswer;
  return orders.flatMap((order, index) => {
    const receipt = receipts[index];
    return receipt?.status === 'accepted' ? [{ run: receipt.run, order, index }] : [];
  });
}
