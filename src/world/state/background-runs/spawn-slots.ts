// The slots of spawned runs: how many work at the same time. A slot is free while fewer than allowed work, in the whole
// run and in the group. First come, first served among those that can begin. A run that waits for its children holds
// no slot.

import type { SpawnId } from '../../../kernel/spawned.ts';
import type { SpawnedRun } from './spawn-registry.ts';

export const openSpawnSlots = (): SpawnSlots => new SpawnSlots();

interface QueuedSpawn {
  readonly spawned: SpawnedRun;
  readonly acquired: () => void;
}

export class SpawnSlots {
  readonly #holders = new Map<SpawnId, SpawnedRun>();
  #queue: readonly QueuedSpawn[] = [];

  /** The record says that this run works: it has a slot, however many others have one. */
  occupy(spawned: SpawnedRun): void {
    this.#holders.set(spawned.run, spawned);
  }

  /** Calls back once the run has a slot: at once if one is free. Returns a function that stops queueing. */
  acquire(spawned: SpawnedRun, acquired: () => void): () => void {
    const queued = { spawned, acquired };
    return this.#join(queued, [...this.#queue, queued]);
  }

  /** The same for a run that released its slot to wait: it goes before all that have not begun. */
  acquireAgain(spawned: SpawnedRun, acquired: () => void): () => void {
    const queued = { spawned, acquired };
    return this.#join(queued, [queued, ...this.#queue]);
  }

  release(run: SpawnId): void {
    if (this.#holders.delete(run)) this.#grant();
  }

  #join(queued: QueuedSpawn, queue: readonly QueuedSpawn[]): () => void {
    this.#queue = queue;
    this.#grant();
    return () => this.#remove(queued);
  }

  #grant(): void {
    for (const queued of this.#queue) {
      // A run that gets its slot may at once release or take others, so both are looked at again.
      if (!this.#queue.includes(queued) || !this.#isFree(queued.spawned)) continue;
      this.#remove(queued);
      this.occupy(queued.spawned);
      queued.acquired();
    }
  }

  #remove(queued: QueuedSpawn): void {
    this.#queue = this.#queue.filter((one) => one !== queued);
  }

  #isFree({ run, group, maxConcurrent, together }: SpawnedRun): boolean {
    const holders = this.#holders;
    return holders.has(run) || (holders.size < maxConcurrent && this.#inGroup(group) < together);
  }

  #inGroup(group: string): number {
    return [...this.#holders.values()].filter((spawned) => spawned.group === group).length;
  }
}
