// Run ids sort by time and can be read: the moment in UTC, then four letters against a collision.

import type { RunId } from '../journal/event.ts';

export function newRunId(now: number): RunId {
  const second = Math.floor(now / 1000);
  if (latestSecond.at !== second) latestSecond = { at: second, text: secondText(second) };
  const ms = Math.floor(now) - second * 1000;
  return `${latestSecond.text}-${String(ms).padStart(3, '0')}${letters()}`;
}

/** Runs in a row mostly share it, and formatting a date is a good part of the cost of a quick run. */
let latestSecond = { at: Number.NaN, text: '' };

function secondText(second: number): string {
  const digits = new Date(second * 1000).toISOString().replace(/[-:.Z]/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(9, 15)}`;
}

/** Counts from a random start: never twice in a process, and the store refuses a collision between processes. */
let latest = Math.floor(Math.random() * 0x10000);

function letters(): string {
  latest = (latest + 1) % 0x10000;
  return latest.toString(16).padStart(4, '0');
}
