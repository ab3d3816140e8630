// The limit that ended a run, as figures: how much was allowed, and how much of it was used. It is read from the details
// of a fault, and never from its message.

import type { Fault } from './fault.ts';

const UNITS = ['turns', 'usd', 'tokens', 'sessions', 'depth', 'ms'] as const;

export interface LimitReached {
  readonly unit: (typeof UNITS)[number];
  readonly spent: number;
  readonly limit: number;
}

/** `turn`: the last one of the session that ended. A session without turns left has spent all that it had. */
export function limitReached({ code, details }: Fault, turn?: number): LimitReached | undefined {
  if (code === 'turns/exhausted') return turn === undefined ? undefined : { unit: 'turns', spent: turn, limit: turn };
  const limit = details?.['limit'];
  const unit = UNITS.find((known) => known === details?.['unit']);
  if (unit === undefined || typeof limit !== 'number') return undefined;
  const spent = details?.['spent'];
  // A deadline that has passed is spent whole.
  return { unit, limit, spent: typeof spent === 'number' ? spent : limit };
}
