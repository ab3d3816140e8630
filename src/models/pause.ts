// Waiting that an abort ends at once. Only this file of the layer waits for time to pass.

import type { StopSignal } from '../kernel/stop-signal.ts';

/** Resolves after `ms`, or never where that is undefined; and in any case as soon as the signal is aborted. */
export function pause(ms: number | undefined, signal: StopSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = ms === undefined ? undefined : setTimeout(done, ms);
    signal.addEventListener('abort', done, { once: true });
  });
}
