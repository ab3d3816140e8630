// Runs that waited for others: one line leads down from those to the first row of what waited.

import { useMemo } from 'preact/hooks';
import type { Row } from './rows.ts';
import { share, type TimeWindow } from './time-window.ts';

/** The time at which the first run that waited for this one began, by path. */
export function dependentsOf(rows: readonly Row[]): ReadonlyMap<string, number> {
  const found = new Map<string, number>();
  for (const { node } of rows)
    for (const path of node.after ?? [])
      found.set(path, Math.min(found.get(path) ?? Infinity, node.beganAt ?? node.startedAt));
  return found;
}

/** One line down from the runs that others waited for to the first row of those. */
export const Downs = (props: {
  readonly rows: readonly Row[];
  readonly window: TimeWindow;
  readonly height: number;
  readonly seen: { readonly first: number; readonly last: number };
}) => {
  const { rows, window, height, seen } = props;
  /** Few rows waited for others; a scroll over very many must not look at all of them. */
  const waited = useMemo(() => {
    const indexes = new Map(rows.map(({ key }, index) => [key, index]));
    return rows.flatMap(({ node, kind }, index) => {
      if (kind !== 'agent' || node.after === undefined || node.after.length === 0) return [];
      const tops = node.after.flatMap((path) => indexes.get(path) ?? []);
      return tops.length === 0 ? [] : [{ node, index, top: Math.min(...tops) }];
    });
  }, [rows]);
  const lines = waited.flatMap(({ node, index, top }) => {
    if (top > seen.last || index < seen.first) return [];
    const left = share(node.beganAt ?? node.startedAt, window);
    return left < 0 || left > 100
      ? []
      : [{ key: node.path, left, top: (top + 0.5) * height, size: (index - top) * height }];
  });
  return (
    <>
      {lines.map(({ key, left, top, size }) => (
        <i key={key} class="down" style={{ left: `${left}%`, top: `${top}px`, height: `${size}px` }} />
      ))}
    </>
  );
};
