// The watchers of a run: they get journal events as they are written, and what happens between them. A watcher's
// failure never fails a run: the failure listener gets it, and the watcher is dropped.

import type { RunEvent } from '../journal/event.ts';
import type { LiveEvent } from '../world/world.ts';

export interface Watcher {
  event?(event: RunEvent): void;
  live?(event: LiveEvent): void;
}

export interface Bus {
  isWatched(): boolean;
  watch(watcher: Watcher): () => void;
  event(event: RunEvent): void;
  live(event: LiveEvent): void;
}

export function openBus(onFailure: (thrown: unknown) => void): Bus {
  const watchers = new Set<Watcher>();
  const tell = (one: (watcher: Watcher) => void): void => {
    for (const watcher of watchers) {
      try {
        one(watcher);
      } catch (thrown) {
        watchers.delete(watcher);
        onFailure(thrown);
      }
    }
  };
  return {
    isWatched: () => watchers.size > 0,
    watch(watcher) {
      watchers.add(watcher);
      return () => void watchers.delete(watcher);
    },
    event(event) {
      if (watchers.size > 0) tell((watcher) => watcher.event?.(event));
    },
    live: (event) => tell((watcher) => watcher.live?.(event)),
  };
}
