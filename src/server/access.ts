// The rights of a request for as long as it is answered. Settings change meanwhile: a token is removed, or may less. So
// what takes long asks again, and a stream is told when its reader may read it no more.

import type { ServerResponse } from 'node:http';
import { FaultError, fault } from '../kernel/fault.ts';
import type { Caller } from './caller.ts';

export interface CallerAccess {
  /** The caller as the settings are now. Throws `request/unauthorized` where the token is gone. */
  now(): Caller;
  /** Aborted with a fault once the caller is gone, or `may` says no. */
  while(may: (caller: Caller) => boolean): AbortSignal;
}

/** `find` looks for the caller in today's settings. */
export type FindCaller = () => Caller | undefined;

/** The requests that are being answered, for one server. */
export class Accesses {
  readonly #watched = new Set<{ look(): void }>();
  readonly #listeners = new Set<() => void>();

  /** The watch of a request ends with its response. */
  open(find: FindCaller, outgoing: ServerResponse): CallerAccess {
    return {
      now: () => find() ?? gone(),
      while: (may) => {
        const over = new AbortController();
        const watched = { look: () => endUnless(may, find, over) };
        this.#watched.add(watched);
        outgoing.once('close', () => this.#watched.delete(watched));
        watched.look();
        return over.signal;
      },
    };
  }

  /** Ends what may not go on. */
  look(): void {
    for (const one of this.#watched) one.look();
  }

  /** The settings have changed. */
  changed(): void {
    this.look();
    for (const changed of this.#listeners) changed();
  }

  /** `changed` is called when rights may have changed. */
  watch(changed: () => void): void {
    this.#listeners.add(changed);
  }
}

/** The rights of one who cannot lose them: the person at the process itself. */
export const standingAccess = (caller: Caller): CallerAccess => ({
  now: () => caller,
  while: () => new AbortController().signal,
});

const UNKNOWN = 'The token or its log-in is not known any more.';

function gone(): never {
  throw new FaultError(fault('request/unauthorized', UNKNOWN));
}

function endUnless(may: (caller: Caller) => boolean, find: FindCaller, over: AbortController): void {
  if (over.signal.aborted) return;
  const caller = find();
  if (caller !== undefined && may(caller)) return;
  const lost =
    caller === undefined
      ? fault('request/unauthorized', UNKNOWN)
      : fault('request/forbidden', `The token "${caller.name}" may not see this any more.`);
  over.abort(new FaultError(lost));
}

/** Settles as the work does, or rejects with the fault by which the right was lost. */
export function unlessLost<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value> {
  if (signal.aborted) return Promise.reject(signal.reason as FaultError);
  return new Promise((resolve, reject) => {
    const lose = (): void => reject(signal.reason as FaultError);
    signal.addEventListener('abort', lose, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', lose));
  });
}

/** The same for what comes one by one. */
export async function* whileAllowed<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  const iterator = items[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await unlessLost(iterator.next(), signal);
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    void iterator.return?.(); // it may still wait for its next item
  }
}
