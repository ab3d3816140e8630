// Reads how long ago something was, as a person writes it on the command line.

import { parseDuration } from '../../definition/read/duration.ts';

export const DAY_MS = 24 * 3_600_000;

/** Accepts durations as everywhere, and days. Undefined for anything else. */
export function ageOf(given: string): number | undefined {
  const days = /^(\d{1,6})\s*d$/.exec(given.trim());
  return days === null ? parseDuration(given) : Number(days[1]) * DAY_MS;
}
