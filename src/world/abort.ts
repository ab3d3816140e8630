// Abort signals that know why. A signal of ours is always aborted with a FaultError, and children are unlinked when
// they end, so that a long run does not collect listeners.

import { setMaxListeners } from 'node:events';
import { type Fault, FaultError, fault } from '../kernel/fault.ts';

export const cancelledBy = (why: string): FaultError => new FaultError(fault('cancelled', why));

/** The fault that an aborted signal stands for. */
export function abortFault(signal: AbortSignal): Fault {
  const reason: unknown = signal.reason;
  return reason instanceof FaultError ? reason.fault : fault('cancelled', 'The run was cancelled.');
}

/** A run's own signal. Any number of ops may wait on it at once. */
export function openSignal(): AbortController {
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  return controller;
}

export interface ChildSignal {
  readonly signal: AbortSignal;
  abort(reason: FaultError): void;
  unlink(): void;
}

export function childSignal(parent: AbortSignal): ChildSignal {
  const controller = openSignal();
  const follow = () => controller.abort(parent.reason);
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => parent.removeEventListener('abort', follow),
  };
}

/** The promise, or a `cancelled`/`timeout` throw as soon as the signal says so. */
export async function orAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) {
    work.catch(() => {}); // nobody waits for it any more; the abort is what is reported
    throw new FaultError(abortFault(signal));
  }
  let stop = () => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => reject(new FaultError(abortFault(signal)));
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
}
