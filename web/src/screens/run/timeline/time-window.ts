// The part of the time that is seen, and where a time stands in it. Pure. Waits that are skipped are narrow; every other
// part keeps its proportions, and all times stay true.

import type { RunWait } from '../../../../../src/views/waits.ts';

export interface TimeWindow {
  readonly from: number;
  readonly to: number;
  /** Waits that are skipped, in order. */
  readonly skips?: readonly RunWait[] | undefined;
}

/** In percent of the width: how wide a skipped wait is, and how wide all of them are at most. */
const SKIPPED = 5;
const MOST_SKIPPED = 50;

interface Piece {
  readonly from: number;
  readonly to: number;
  readonly left: number;
  readonly width: number;
  readonly wait?: RunWait;
}

const known = new WeakMap<TimeWindow, readonly Piece[]>();

function piecesOf(window: TimeWindow): readonly Piece[] {
  const made = known.get(window) ?? pieces(window);
  known.set(window, made);
  return made;
}

const narrowOf = (count: number): number => Math.min(SKIPPED, MOST_SKIPPED / Math.max(1, count));

/** The room after now, so that now stands at nine tenths of the width. */
export function roomAfter(worked: number, skipped: number): number {
  const rest = 100 - narrowOf(skipped) * skipped;
  return (Math.max(1, worked) * ROOM) / (rest - ROOM);
}

const ROOM = 10;

function pieces({ from, to, skips = [] }: TimeWindow): readonly Piece[] {
  const seen = skips.filter((wait) => wait.to > from && wait.from < to);
  const narrow = narrowOf(seen.length);
  const skipped = seen.map((wait) => ({ wait, from: Math.max(from, wait.from), to: Math.min(to, wait.to) }));
  const worked = Math.max(1, to - from - skipped.reduce((sum, one) => sum + one.to - one.from, 0));
  const rest = 100 - narrow * skipped.length;
  const all: Piece[] = [];
  let [at, left] = [from, 0];
  const add = (until: number, width: number, wait?: RunWait): void => {
    all.push({ from: at, to: until, left, width, ...(wait !== undefined && { wait }) });
    [at, left] = [until, left + width];
  };
  for (const one of skipped) {
    add(one.from, ((one.from - at) / worked) * rest);
    add(one.to, narrow, one.wait);
  }
  add(to, ((to - at) / worked) * rest);
  return all;
}

/** The place of a time, in percent of the width; outside of the visible part too. */
export function share(at: number, window: TimeWindow): number {
  const { from, to, skips } = window;
  if (skips === undefined || skips.length === 0 || at <= from || at >= to)
    return ((at - from) / Math.max(1, to - from)) * 100;
  const piece = piecesOf(window).find((one) => at <= one.to);
  if (piece === undefined) return 100;
  return piece.left + ((at - piece.from) / Math.max(1, piece.to - piece.from)) * piece.width;
}

/** The time that stands at a place. */
export function timeAt(percent: number, window: TimeWindow): number {
  const piece = piecesOf(window).find(({ left, width }) => percent <= left + width) ?? piecesOf(window).at(-1);
  if (piece === undefined) return window.from;
  return piece.from + ((percent - piece.left) / Math.max(0.001, piece.width)) * (piece.to - piece.from);
}

export interface SkippedWait {
  readonly wait: RunWait;
  readonly left: number;
  readonly width: number;
}

/** The waits that are narrow in what is seen. */
export const skippedIn = (window: TimeWindow): readonly SkippedWait[] =>
  piecesOf(window).flatMap(({ wait, left, width }) => (wait === undefined ? [] : [{ wait, left, width }]));

/** The parts of what is seen that are not skipped. */
export const workedIn = (window: TimeWindow): readonly { readonly from: number; readonly to: number }[] =>
  piecesOf(window).filter(({ wait, to, from }) => wait === undefined && to > from);
