// Slots: how many model calls may be under way at once. First come, first served, so that no call starves. A run that
// only waits for children holds none.

import { FaultError } from '../../kernel/fault.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { abortFault } from '../abort.ts';

export interface Slots {
  /** Resolves with the function that releases the slot. Throws the abort's fault if the signal is aborted first. */
  acquire(signal: StopSignal): Promise<() => void> | (() => void);
}

export const openSlots = (count: number): Slots => {
  const shared = openSharedSlots();
  return { acquire: (signal) => shared.acquire(signal, count) };
};

/** Slots of a shared resource. Each user says how many may be in use in all. */
export interface SharedSlots {
  acquire(signal: StopSignal, count: number): Promise<() => void> | (() => void);
}

/** `idle` is called whenever no slot is in use and no one waits. */
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
          grant(); // what is free may be enough for the next in line
          reject(new FaultError(abortFault(signal)));
        };
        if (signal.aborted) return reject(new FaultError(abortFault(signal)));
        waiting.push(place);
        signal.addEventListener('abort', aborted, { once: true });
      });
    },
  };
}
