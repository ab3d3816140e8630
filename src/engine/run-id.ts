// Run ids sort by time and can be read: the moment in UTC, then four letters against a collision.

import type { RunId } from '../journal/event.ts';

export function newRunId(now: number): RunId {
  if (moment.at !== now) moment = { at: now, text: momentOf(now) };
  return moment.text + letters();
}

/** The latest one: runs that follow each other mostly share it. */
let moment = { at: Number.NaN, text: '' };

function momentOf(now: number): string {
  const digits = new Date(now).toISOString().replace(/[-:.Z]/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(9, 15)}-${digits.slice(15, 18)}`;
}

/** Counted from a point of chance: never twice in a process, and between processes a collision is refused by the store. */
let latest = Math.floor(Math.random() * 0x10000);

function letters(): string {
  latest = (latest + 1) % 0x10000;
  return latest.toString(16).padStart(4, '0');
}
