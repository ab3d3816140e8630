// Work that is watched only if it outlasts a moment. Most calls within a process are over before the event loop turns,
// and a timer and a listener for each would cost more than the call.

export interface Watchable {
  /** The moment has passed. May be over already. */
  watch(): void;
}

/** `defer` runs something a moment later: once for all that began in that moment. */
export function watchOutlasting(defer: (run: () => void) => void): (work: Watchable) => void {
  let begun: Watchable[] = [];
  const watchAll = (): void => {
    const all = begun;
    begun = [];
    for (const one of all) one.watch();
  };
  return (work) => {
    if (begun.push(work) === 1) defer(watchAll);
  };
}
