// Slots: how many model calls may be under way at once. First come, first served, so that nobody starves; whoever
// only waits for children holds none.

import { FaultError } from '../../kernel/fault.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { abortFault } from '../abort.ts';

export interface Slots {
  /** Resolves with the release. Throws the abort's fault if the signal says so first. */
  acquire(signal: StopSignal): Promise<() => void> | (() => void);
}

export const openSlots = (count: number): Slots => {
  const shared = openSharedSlots();
  return { acquire: (signal) => shared.acquire(signal, count) };
};

/** Slots of something that several use, each of whom says how many it may have in use in all. */
export interface SharedSlots {
  acquire(signal: StopSignal, count: number): Promise<() => void> | (() => void);
}

/** `idle` is told whenever nobody uses them and nobody waits. */
export function openSharedSlots(idle?: () => void): SharedSlots {
  let inUse = 0;
  const waiting: { readonly count: number; readonly granted: () => void }[] = [];
  const release = (): void => {
    inUse -= 1;
    grant();
    if (inUse === 0) idle?.();
  };
  const grant = (): void => {
    for (let next = waiting[0]; next !== undefined && inUse < next.count; next = waiting[0]) {
      waiting.shift();
      inUse += 1;
      next.granted();
    }
  };
  return {
    acquire(signal, count) {
      if (inUse < count && waiting.length === 0) {
        inUse += 1;
        return release;
      }
      return new Promise((resolve, reject) => {
        const granted = () => {
          signal.removeEventListener('abort', aborted);
          resolve(release);
        };
        const place = { count, granted };
        const aborted = () => {
          waiting.splice(waiting.indexOf(place), 1);
          grant(); // the next in line may be content with what is free
          reject(new FaultError(abortFault(signal)));
        };
        if (signal.aborted) return reject(new FaultError(abortFault(signal)));
        waiting.push(place);
        signal.addEventListener('abort', aborted, { once: true });
      });
    },
  };
}
