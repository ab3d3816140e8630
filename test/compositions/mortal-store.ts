// A store whose process dies: it keeps the first events of a run, and after the last of them nothing answers any more.

import type { RunLease } from '../../src/journal/log.ts';
import type { RunStore } from '../../src/journal/store.ts';

const forEver = (): Promise<never> => new Promise(() => {});

/** `died` is called when `life` events are kept. */
export function mortalStore(store: RunStore, life: number, died: () => void): RunStore {
  let left = life;
  const mortal = (lease: RunLease): RunLease => ({
    append(events) {
      if (left <= 0) return forEver();
      const kept = events.slice(0, left);
      left -= kept.length;
      const written = lease.append(kept);
      if (left > 0) return written;
      died();
      return forEver();
    },
    release: () => (left > 0 ? lease.release() : forEver()),
  });
  return {
    ...store,
    claim: async (run, expected) => mortal(await store.claim(run, expected)),
  };
}
