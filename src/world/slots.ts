// Slots: how many model calls may be under way at once. First come, first served, so that nobody starves; whoever
// only waits for children holds none.

import { FaultError } from '../kernel/fault.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { abortFault } from './abort.ts';

export interface Slots {
  /** Resolves with the release. Throws the abort's fault if the signal says so first. */
  acquire(signal: StopSignal): Promise<() => void> | (() => void);
}

export function openSlots(count: number): Slots {
  let free = count;
  const waiting: (() => void)[] = [];
  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  return {
    acquire(signal) {
      if (free > 0) {
        free -= 1;
        return release;
      }
      return new Promise((resolve, reject) => {
        const granted = () => {
          signal.removeEventListener('abort', aborted);
          resolve(release);
        };
        const aborted = () => {
          waiting.splice(waiting.indexOf(granted), 1);
          reject(new FaultError(abortFault(signal)));
        };
        if (signal.aborted) return reject(new FaultError(abortFault(signal)));
        waiting.push(granted);
        signal.addEventListener('abort', aborted, { once: true });
      });
    },
  };
}
