// Run ids sort by time and can be read: the moment in UTC, then four letters against a collision.

import type { RunId } from '../journal/event.ts';

export function newRunId(now: number): RunId {
  const second = Math.floor(now / 1000);
  if (latestSecond.at !== second) latestSecond = { at: second, text: secondText(second) };
  const ms = Math.floor(now) - second * 1000;
  return `${latestSecond.text}-${String(ms).padStart(3, '0')}${letters()}`;
}

/** Runs that follow each other mostly share it, and to write a date out is a good part of what a quick run costs. */
let latestSecond = { at: Number.NaN, text: '' };

function secondText(second: number): string {
  const digits = new Date(second * 1000).toISOString().replace(/[-:.Z]/g, '');
  return `${digits.slice(0, 8)}-${digits.slice(9, 15)}`;
}

/** Counted from a point of chance: never twice in a process, and between processes a collision is refused by the store. */
let latest = Math.floor(Math.random() * 0x10000);

function letters(): string {
  latest = (latest + 1) % 0x10000;
  return latest.toString(16).padStart(4, '0');
}
