// Run ids sort by time and can be read: the moment in UTC, then four letters against a collision.

import type { RunId } from '../journal/event.ts';

export function newRunId(now: number): RunId {
  if (moment.at !== now) moment = { at: now, text: momentOf(now) };
  return moment.text + letters();
}

/** The latest one: runs that follow each other mostly share it. */
let moment = { at: Number.NaN, text: '' };

function momentOf(now: number): string {
  const iso = new Date(now).toISOString(); // 2026-11-16T17:53:02.123Z
  const part = (from: number, to: number): string => iso.slice(from, to);
  return `${part(0, 4)}${part(5, 7)}${part(8, 10)}-${part(11, 13)}${part(14, 16)}${part(17, 19)}-${part(20, 23)}`;
}

/** Counted from a point of chance: never twice in a process, and between processes a collision is refused by the store. */
let latest = Math.floor(Math.random() * 0x10000);

function letters(): string {
  latest = (latest + 1) % 0x10000;
  return latest.toString(16).padStart(4, '0');
}
