// The bars of the rows that are drawn, computed once for each row and placed once for each window.

import { useRef } from 'preact/hooks';
import { type Bar, type BarSource, barsOf, placed, type TimeWindow } from './bars.ts';
import type { Row } from './rows.ts';

type Places = ReturnType<typeof placed>;

interface Known {
  readonly bars: readonly Bar[];
  readonly goesOn: boolean;
}

/** Bars are computed again only if their row is another one; placed again if the window is. */
export function useBars(source: BarSource, count: number): (row: Row, window: TimeWindow, now: number) => Places {
  const known = useRef({ count, of: new WeakMap<Row, Known>() });
  const places = useRef({ key: '', of: new WeakMap<Row, Places>() });
  if (known.current.count !== count) known.current = { count, of: new WeakMap() };
  return (row, window, now) => {
    const { bars, goesOn } = kept(known.current.of, row, () => {
      const found = barsOf(row, source);
      return { bars: found, goesOn: found.some(({ to }) => to === undefined) };
    });
    if (goesOn) return placed(bars, window, now);
    const key = `${window.from} ${window.to} ${count}`;
    if (places.current.key !== key) places.current = { key, of: new WeakMap() };
    return kept(places.current.of, row, () => placed(bars, window, now));
  };
}

function kept<Key extends object, Value>(values: WeakMap<Key, Value>, key: Key, make: () => Value): Value {
  const known = values.get(key);
  if (known !== undefined) return known;
  const made = make();
  values.set(key, made);
  return made;
}
