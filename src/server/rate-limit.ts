// The limit of one token's requests: a bucket for each that refills evenly.

import { fail } from '../kernel/fault.ts';

/** Callers that have never asked for this long start anew. */
const FORGET_MS = 120_000;
const MOST_CALLERS = 10_000;

export function rateLimit(perMinute: () => number, now: () => number) {
  const buckets = new Map<string, { left: number; at: number }>();
  return {
    /** Throws `request/rate`. */
    take(name: string): void {
      const most = perMinute();
      const at = now();
      const bucket = buckets.get(name) ?? { left: most, at };
      const refilled = Math.min(most, bucket.left + ((at - bucket.at) / 60_000) * most);
      if (buckets.size >= MOST_CALLERS)
        for (const [one, { at: last }] of buckets) if (at - last > FORGET_MS) buckets.delete(one);
      if (refilled < 1) {
        fail('request/rate', `More than ${most} requests a minute (server.requestsPerMinute in cadre.yaml).`, {
          retryAfter: Math.max(1, Math.ceil(((1 - refilled) / most) * 60)),
        });
      }
      buckets.set(name, { left: refilled - 1, at });
    },
  };
}

export type RateLimit = ReturnType<typeof rateLimit>;
