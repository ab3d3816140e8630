// The bars of the rows that are drawn, computed once for each row and placed once for each window.

import { useRef } from 'preact/hooks';
import { type Bar, type BarSource, barsOf, placed, type TimeWindow } from './bars.ts';
import type { Row } from './rows.ts';

type Places = ReturnType<typeof placed>;

interface Known {
  readonly bars: readonly Bar[];
  readonly goesOn: boolean;
  /** Where they stand in the window of `from` and `to`. */
  places?: Places;
  from?: number;
  to?: number;
}

/**
 * Bars are computed again only if their row is another one; placed again if the window is. What is known of a row is one
 * lookup away: a scroll asks for every row in view in every frame.
 */
export function useBars(source: BarSource, count: number): (row: Row, window: TimeWindow, now: number) => Places {
  const known = useRef({ count, of: new WeakMap<Row, Known>() });
  if (known.current.count !== count) known.current = { count, of: new WeakMap() };
  return (row, window, now) => {
    let mine = known.current.of.get(row);
    if (mine === undefined) {
      const bars = barsOf(row, source);
      mine = { bars, goesOn: bars.some(({ to }) => to === undefined) };
      known.current.of.set(row, mine);
    }
    if (mine.goesOn) return placed(mine.bars, window, now);
    if (mine.places === undefined || mine.from !== window.from || mine.to !== window.to) {
      mine.places = placed(mine.bars, window, now);
      mine.from = window.from;
      mine.to = window.to;
    }
    return mine.places;
  };
}
