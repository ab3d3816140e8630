// The axis of time: ticks at round numbers, and the window that is seen. Pure.

import { type SkippedWait, share, skippedIn, type TimeWindow, workedIn } from './time-window.ts';

export interface Tick {
  /** The place in percent of the width. */
  readonly left: number;
  readonly text: string;
}

const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 15_000, 30_000, 60_000];
const LONG_STEPS = [120, 300, 600, 1200, 1800, 3600, 7200, 14_400, 28_800, 86_400].map((seconds) => seconds * 1000);
const MOST_TICKS = 8;

/** Ticks from the start of the run, at most some eight. Beside a skipped wait there is none: its length stands there. */
export function ticksOf(window: TimeWindow, start: number): readonly Tick[] {
  const worked = workedIn(window);
  const span = Math.max(
    1,
    worked.reduce((sum, { from, to }) => sum + to - from, 0),
  );
  const step = [...STEPS, ...LONG_STEPS].find((one) => span / one <= MOST_TICKS) ?? 7 * 86_400_000;
  const skipped = skippedIn(window);
  const isFree = ({ left }: Tick): boolean =>
    skipped.every((one) => left < one.left - ROOM || left > one.left + ROOM * 2);
  return worked.flatMap(({ from, to }) => {
    const ticks: Tick[] = [];
    for (let at = Math.ceil((from - start) / step) * step; at <= to - start; at += step)
      ticks.push({ left: share(at + start, window), text: tickText(at, step) });
    return ticks.filter(isFree);
  });
}

/** In percent: what a tick's words take. */
const ROOM = 6;

/** The skipped waits whose length finds room beside the one before. Waits of a run that was broken off lie close together. */
export function waitsWithRoom(skipped: readonly SkippedWait[]): readonly SkippedWait[] {
  let free = 0;
  return skipped.filter(({ left }) => {
    if (left < free) return false;
    free = left + ROOM * 2;
    return true;
  });
}

function tickText(at: number, step: number): string {
  if (at === 0) return '0';
  if (step >= 60_000) {
    const minutes = Math.round(at / 60_000);
    return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${String(minutes % 60).padStart(2, '0')}`;
  }
  const digits = step >= 1000 ? 0 : step >= 100 ? 1 : step >= 10 ? 2 : 3;
  return `${(at / 1000).toFixed(digits)} s`;
}

/** The window as it stands in the address: milliseconds of the run, `1200-3400`. */
export const zoomText = ({ from, to }: TimeWindow, start: number): string =>
  `${Math.round(from - start)}-${Math.round(to - start)}`;

/** The window that an address asks for. It may reach beyond the known part of a run that is still being read. */
export function zoomIn(text: string | undefined, start: number): TimeWindow | undefined {
  const [, from, to] = /^(\d{1,15})-(\d{1,15})$/.exec(text ?? '') ?? [];
  if (from === undefined || to === undefined || Number(to) - Number(from) < LEAST_MS) return undefined;
  return { from: start + Number(from), to: start + Number(to) };
}

const LEAST_MS = 2;

/** Wider (`factor` over 1) or narrower, around a place in the window from 0 to 1, within the whole. */
export function zoomed(window: TimeWindow, whole: TimeWindow, factor: number, around = 0.5): TimeWindow {
  const span = Math.min(whole.to - whole.from, Math.max(LEAST_MS, (window.to - window.from) * factor));
  const centre = window.from + (window.to - window.from) * around;
  return within({ from: centre - span * around, to: centre + span * (1 - around) }, whole);
}

/** Moved by a share of its width. */
export const moved = (window: TimeWindow, whole: TimeWindow, share: number): TimeWindow => {
  const by = (window.to - window.from) * share;
  return within({ from: window.from + by, to: window.to + by }, whole);
};

export function within({ from, to }: TimeWindow, whole: TimeWindow): TimeWindow {
  const span = Math.min(to - from, whole.to - whole.from);
  const start = Math.min(Math.max(from, whole.from), whole.to - span);
  return { from: start, to: start + span };
}
