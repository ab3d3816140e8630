// Abort signals that say why. A signal of ours is always aborted with a FaultError, and children are unlinked when
// they end, so that a long run does not collect listeners.

import { setMaxListeners } from 'node:events';
import { type Fault, FaultError, fault, WITHOUT_REASON } from '../kernel/fault.ts';
import type { StopListener, StopSignal } from '../kernel/stop-signal.ts';

export const cancelledBy = (why: string): FaultError => new FaultError(fault('cancelled', why));

/** The fault that an aborted signal stands for. */
export function abortFault(signal: StopSignal): Fault {
  const { reason } = signal;
  return reason instanceof FaultError ? reason.fault : fault('cancelled', WITHOUT_REASON);
}

/** A signal of our own. Most runs end without being stopped, and then it is one small object. */
export class Stop implements StopSignal {
  #listeners: Set<StopListener> | undefined;
  #native: AbortController | undefined;
  aborted = false;
  reason: FaultError | undefined = undefined;

  /** The first reason counts. */
  abort(reason: FaultError): void {
    if (this.aborted) return;
    this.aborted = true;
    this.reason = reason;
    this.#native?.abort(reason);
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) {
      if (typeof listener === 'function') listener();
      else listener.handleEvent();
    }
  }

  addEventListener(_type: 'abort', listener: StopListener): void {
    if (this.aborted) return;
    this.#listeners ??= new Set();
    this.#listeners.add(listener);
  }

  removeEventListener(_type: 'abort', listener: StopListener): void {
    this.#listeners?.delete(listener);
  }

  /** An AbortSignal for code that needs one: tools, processes, people's answers. Any number may wait on it at once. */
  get native(): AbortSignal {
    if (this.#native === undefined) {
      this.#native = new AbortController();
      setMaxListeners(0, this.#native.signal);
      if (this.aborted) this.#native.abort(this.reason);
    }
    return this.#native.signal;
  }
}

export const nativeSignal = (signal: StopSignal): AbortSignal =>
  signal instanceof Stop ? signal.native : (signal as AbortSignal);

export interface ChildStop {
  readonly signal: Stop;
  unlink(): void;
}

export function childStop(parent: StopSignal): ChildStop {
  const signal = new Stop();
  const follow = () => signal.abort(asFaultError(parent.reason));
  if (parent.aborted) follow();
  else parent.addEventListener('abort', follow, { once: true });
  return { signal, unlink: () => parent.removeEventListener('abort', follow) };
}

/** A signal that is aborted with the first of them. */
export function anyStop(...signals: readonly StopSignal[]): AbortSignal {
  const any = AbortSignal.any(signals.map(nativeSignal));
  setMaxListeners(0, any);
  return any;
}

const asFaultError = (reason: unknown): FaultError =>
  reason instanceof FaultError ? reason : cancelledBy(WITHOUT_REASON);

/** The value of the promise; throws the signal's fault (`cancelled` or `timeout`) as soon as the signal is aborted. */
export async function orAborted<Value>(work: Promise<Value>, signal: StopSignal): Promise<Value> {
  if (signal.aborted) {
    work.catch(() => {}); // its result is not needed any more; the abort is reported instead
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
