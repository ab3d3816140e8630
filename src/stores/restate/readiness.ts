// The readiness of a Restate server, as an answer of it tells, and the time for which an answer that is not final is
// waited out. A server that was just started answers before it has loaded everything.
// READY-1. A connection that is refused, and an error that is the server's own: it starts, or has lost a part of
//     itself.
// READY-2. An ingress that does not know a service: it has not loaded what was registered, or nothing was. The admin
//     API may know it already. A server that never had a worker gets a few seconds, so that a person is told soon.
// READY-3. A query leaves out what is not loaded, and does not say so. It counts when the server has been ready for a
//     while; and what must be there and is not found is looked for again.

/** `starting` is READY-1, `unregistered` READY-2. */
export type Readiness = 'ready' | 'starting' | 'unregistered';

/** Judges an error by the part of the server that it comes from, because a handler may answer with the same status. */
export function readinessOf({ status, headers }: Pick<Response, 'status' | 'headers'>): Readiness {
  const source = headers.get('x-restate-error-source');
  if (status >= 500 && source !== 'invocation') return 'starting';
  return status === 404 && source === 'ingress' ? 'unregistered' : 'ready';
}

/** READY-2 */
export const UNREGISTERED_MS = 3000;

/** READY-3. On two busy cores a server was seen to answer queries incompletely up to a third of a second before it was ready. */
export const SETTLED_MS = 1000;

/** The pauses before looking again for what must be there (READY-3). */
export const AGAIN_MS: readonly number[] = [100, 300, 600, 1000];

const PAUSES_MS: readonly number[] = [50, 100, 200, 500, 1000];

/** The pause after an attempt, the first of which is 0. */
export const pauseAfter = (attempt: number): number => PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)] as number;
