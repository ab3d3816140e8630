// Who of the spawned runs works now. A place is free while fewer than allowed work, in the whole run and in the
// group; first come, first served among those that could go. Whoever waits for its own children holds no place.

import type { SpawnId } from '../../kernel/spawned.ts';
import type { Entry } from './registry.ts';

export interface Working {
  /** The record says that it works: it has a place, whoever else has one. */
  hold(entry: Entry): void;
  /** Calls back once it has a place: at once where one is free. Gives back the way to stop queueing. */
  enter(entry: Entry, admitted: () => void): () => void;
  /** The same after a pause, before any newcomer. */
  enterAgain(entry: Entry, admitted: () => void): () => void;
  leave(run: SpawnId): void;
}

interface Queued {
  readonly entry: Entry;
  readonly admitted: () => void;
}

export function openWorking(): Working {
  const working = new Map<SpawnId, Entry>();
  let queue: readonly Queued[] = [];

  const inGroup = (group: string): number => [...working.values()].filter((entry) => entry.group === group).length;
  const mayEnter = (entry: Entry): boolean =>
    working.has(entry.run) || (working.size < entry.maxConcurrent && inGroup(entry.group) < entry.together);
  const admit = (): void => {
    for (const queued of queue) {
      // Who is admitted may free or take places at once, so both are looked at anew.
      if (!queue.includes(queued) || !mayEnter(queued.entry)) continue;
      queue = queue.filter((one) => one !== queued);
      working.set(queued.entry.run, queued.entry);
      queued.admitted();
    }
  };
  const join = (queued: Queued, line: readonly Queued[]): (() => void) => {
    queue = line;
    admit();
    return () => {
      queue = queue.filter((one) => one !== queued);
    };
  };
  return {
    hold: (entry) => void working.set(entry.run, entry),
    enter(entry, admitted) {
      const queued = { entry, admitted };
      return join(queued, [...queue, queued]);
    },
    enterAgain(entry, admitted) {
      const queued = { entry, admitted };
      return join(queued, [queued, ...queue]);
    },
    leave(run) {
      if (working.delete(run)) admit();
    },
  };
}
