// Very many rows of one height, of which only those in view are in the document. Rows that come in above the view do
// not move what is seen: the first visible row keeps its place.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows beyond the view on either side. */
const SPARE = 12;

export interface RowsProps<Row> {
  readonly rows: readonly Row[];
  readonly height: number;
  readonly keyOf: (row: Row) => string;
  readonly render: (row: Row, index: number) => ComponentChildren;
  /** What lies behind the rows and scrolls with them, such as lines of a grid. It is told the height of all rows. */
  readonly behind?: (height: number) => ComponentChildren;
  /** Brought into view when it changes. */
  readonly shownKey?: string | undefined;
  readonly label: string;
  readonly role?: 'treegrid' | 'grid' | 'rowgroup' | 'list';
  readonly className?: string;
  readonly onScroll?: (place: { readonly first: number; readonly last: number; readonly byHand: boolean }) => void;
}

export function RowsWindow<Row>(props: RowsProps<Row>) {
  const { rows, height, keyOf, render } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, size: 800 });
  /** The first visible row, and how far it is scrolled out: the anchor. */
  const anchor = useRef<{ readonly key: string; readonly offset: number } | undefined>(undefined);
  const moved = useRef(false);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const measure = (): void => setView({ top: element.scrollTop, size: element.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || anchor.current === undefined) return;
    const { key, offset } = anchor.current;
    const index = rows.findIndex((row) => keyOf(row) === key);
    if (index < 0 || element.scrollTop === 0) return;
    const top = index * height + offset;
    if (Math.abs(top - element.scrollTop) < 1) return;
    moved.current = true;
    element.scrollTop = top;
  }, [rows, height]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || props.shownKey === undefined) return;
    const index = rows.findIndex((row) => keyOf(row) === props.shownKey);
    if (index < 0) return;
    const [top, bottom] = [index * height, (index + 1) * height];
    if (top >= element.scrollTop && bottom <= element.scrollTop + element.clientHeight) return;
    moved.current = true;
    element.scrollTop = top < element.scrollTop ? Math.max(0, top - height) : bottom - element.clientHeight + height;
  }, [props.shownKey]);

  const first = Math.max(0, Math.floor(view.top / height) - SPARE);
  const last = Math.min(rows.length, Math.ceil((view.top + view.size) / height) + SPARE);
  const scrolled = (element: HTMLDivElement): void => {
    const at = Math.floor(element.scrollTop / height);
    const row = rows[at];
    anchor.current = row === undefined ? undefined : { key: keyOf(row), offset: element.scrollTop - at * height };
    setView({ top: element.scrollTop, size: element.clientHeight });
    const byHand = !moved.current;
    moved.current = false;
    props.onScroll?.({ first: at, last: Math.floor((element.scrollTop + element.clientHeight) / height) - 1, byHand });
  };
  return (
    <div
      ref={box}
      class={props.className ?? 'rows'}
      role={props.role}
      aria-label={props.role === undefined ? undefined : props.label}
      aria-rowcount={props.role === 'treegrid' || props.role === 'grid' ? rows.length : undefined}
      tabIndex={-1}
      onScroll={(event) => scrolled(event.currentTarget)}
    >
      <div class="rows-all" style={{ height: `${rows.length * height}px` }}>
        {props.behind?.(rows.length * height)}
        <div class="rows-seen" style={{ transform: `translateY(${first * height}px)` }}>
          {rows.slice(first, last).map((row, index) => render(row, first + index))}
        </div>
      </div>
    </div>
  );
}
