// The bars of the rows that are drawn, computed once for each row and placed once for each window.

import { useRef } from 'preact/hooks';
import { isSame } from '../../../parts/same.ts';
import { type Bar, type BarSource, barsOf, type Placed, placed } from './bars.ts';
import type { Row } from './rows.ts';
import type { TimeWindow } from './time-window.ts';

type Places = readonly Placed[];

interface Known {
  /** The number of events. */
  readonly count: number;
  readonly bars: readonly Bar[];
  readonly goesOn: boolean;
  /** The places in this window. */
  places?: Places;
  window?: TimeWindow;
}

/**
 * Bars are computed again if their row is another one or events have come, and placed again if the window is another one;
 * where that brings the same places, these are the same object, and the row is not drawn again. What is known of a row is
 * one lookup away: a scroll asks for every row in view in every frame.
 */
export function useBars(source: BarSource, count: number): (row: Row, window: TimeWindow, now: number) => Places {
  const known = useRef(new WeakMap<Row, Known>());
  return (row, window, now) => {
    let mine = known.current.get(row);
    if (mine === undefined || mine.count !== count) {
      const bars = barsOf(row, source);
      const places = mine?.places !== undefined && areSame(bars, mine.bars) ? mine.places : undefined;
      mine = { ...(places && mine), count, bars, goesOn: bars.some(({ to }) => to === undefined) };
      known.current.set(row, mine);
    }
    if (mine.goesOn) return placed(mine.bars, window, now);
    if (mine.places === undefined || mine.window === undefined || !areAlike(mine.window, window)) {
      mine.places = placed(mine.bars, window, now);
      mine.window = window;
    }
    return mine.places;
  };
}

const areAlike = (one: TimeWindow, other: TimeWindow): boolean =>
  one.from === other.from && one.to === other.to && one.skips === other.skips;

const areSame = (bars: readonly Bar[], before: readonly Bar[]): boolean =>
  bars.length === before.length && bars.every((bar, place) => isSame(bar, before[place]));
