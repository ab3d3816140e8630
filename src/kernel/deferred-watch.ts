// Work that is watched only if it outlasts a moment. Most calls within a process are over before the event loop turns,
// and a timer and a listener for each would cost more than the call.

export interface Watchable {
  /** The moment has passed. */
  watch(): void;
}

interface DeferredWatch {
  /** Work begins. Gives its place, for `over`. */
  begun(work: Watchable): number;
  /** It is over, and need not be kept for watching. */
  over(work: Watchable, place: number): void;
}

/** `defer` runs something a moment later: once for all that began in that moment. */
export function deferredWatch(defer: (run: () => void) => void): DeferredWatch {
  let fresh: (Watchable | undefined)[] = [];
  const watchAll = (): void => {
    const all = fresh;
    fresh = [];
    for (const one of all) one?.watch();
  };
  return {
    begun(work) {
      const place = fresh.push(work) - 1;
      if (place === 0) defer(watchAll);
      return place;
    },
    over(work, place) {
      if (fresh[place] === work) fresh[place] = undefined;
    },
  };
}
