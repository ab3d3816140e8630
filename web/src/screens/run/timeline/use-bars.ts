// The bars of the rows that are drawn, computed once for each row and placed once for each window.

import { useRef } from 'preact/hooks';
import { type Bar, type BarSource, barsOf, placed, type TimeWindow } from './bars.ts';
import type { Row } from './rows.ts';

/** Bars are computed again only if their row is another one; placed again if the window is. */
export function useBars(
  source: BarSource,
  count: number,
): (row: Row, window: TimeWindow, now: number) => ReturnType<typeof placed> {
  const known = useRef(new WeakMap<Row, readonly Bar[]>());
  const places = useRef({ key: '', of: new WeakMap<Row, ReturnType<typeof placed>>() });
  const seen = useRef(count);
  if (seen.current !== count) {
    seen.current = count;
    known.current = new WeakMap();
  }
  return (row, window, now) => {
    const bars = known.current.get(row) ?? barsOf(row, source);
    known.current.set(row, bars);
    const goesOn = bars.some(({ to }) => to === undefined);
    const key = `${window.from} ${window.to} ${count}`;
    if (places.current.key !== key) places.current = { key, of: new WeakMap() };
    const before = goesOn ? undefined : places.current.of.get(row);
    const put = before ?? placed(bars, window, now);
    places.current.of.set(row, put);
    return put;
  };
}
