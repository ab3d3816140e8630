// `?wait=30s`: how long a request waits for the outcome of its run.

import { parseDuration } from '../../definition/read/duration.ts';
import { fail } from '../../kernel/fault.ts';

const MOST_MS = 600_000;

export function waitedMs(given: string | number | boolean | undefined): number | undefined {
  if (given === undefined) return undefined;
  const ms = parseDuration(given);
  if (ms === undefined || ms < 0 || ms > MOST_MS)
    fail('request/invalid', 'wait takes a duration such as 30s, at most 10m.');
  return ms;
}
