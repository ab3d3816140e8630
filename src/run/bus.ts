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

/** Collects the reports of a bus until the run is over or the signal is aborted. It listens from the call on. */
export function watchQueue<Item>(
  { bus, outcome: over }: { readonly bus: Bus; readonly outcome: Promise<unknown> },
  watcher: (tell: (item: Item) => void) => Watcher,
  signal?: AbortSignal,
): AsyncIterable<Item> & { leave(): void } {
  const queue: Item[] = [];
  let wake = (): void => {};
  let isOver = false;
  const end = (): void => {
    isOver = true;
    wake();
  };
  const leave = bus.watch(
    watcher((item) => {
      queue.push(item);
      wake();
    }),
  );
  over.then(end, end);
  signal?.addEventListener('abort', end, { once: true });
  return {
    leave,
    async *[Symbol.asyncIterator]() {
      for (;;) {
        const item = queue.shift();
        if (item !== undefined) yield item;
        else if (isOver) return;
        else
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    },
  };
}
