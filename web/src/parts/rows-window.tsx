// Very many rows of one height, of which only those in view are in the document. Rows that come in above the view do
// not move what is seen: the first visible row keeps its place.

import { type ComponentChildren, Fragment } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';

/** Rows beyond the view on either side. */
const SPARE = 10;

export interface RowsProps<Row> {
  readonly rows: readonly Row[];
  readonly height: number;
  readonly keyOf: (row: Row) => string;
  /** Without a key: rows are drawn in the elements of those that were there before. */
  readonly render: (row: Row, index: number) => ComponentChildren;
  /** A row of heads that stays at the top, and its height. */
  readonly header?: ComponentChildren;
  readonly headerHeight?: number;
  /** What lies behind the rows and scrolls with them, such as lines of a grid. It is told which rows are near the view. */
  readonly behind?: (seen: { readonly first: number; readonly last: number }) => ComponentChildren;
  /** Brought into view when it changes. */
  readonly shownKey?: string | undefined;
  readonly label: string;
  readonly role: 'treegrid' | 'grid' | 'list';
  /** The id of the row that the keyboard is on. */
  readonly activeId?: string | undefined;
  readonly className?: string;
  /** `byHand`: a person scrolled, not the page. */
  readonly onScroll?: (place: { readonly first: number; readonly last: number; readonly byHand: boolean }) => void;
}

export function RowsWindow<Row>(props: RowsProps<Row>) {
  const { rows, height, keyOf, render, headerHeight = 0 } = props;
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, size: 800 });
  /** The first visible row, and how far it is scrolled out: the anchor. */
  const anchor = useRef<{ readonly key: string; readonly offset: number } | undefined>(undefined);
  const moved = useRef(false);
  const scrollTo = (element: HTMLElement, top: number): void => {
    moved.current = true;
    element.scrollTop = top;
  };

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
    if (element === null || anchor.current === undefined || element.scrollTop === 0) return;
    const { key, offset } = anchor.current;
    const index = rows.findIndex((row) => keyOf(row) === key);
    const top = index * height + offset;
    if (index >= 0 && Math.abs(top - element.scrollTop) >= 1) scrollTo(element, top);
  }, [rows, height]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null || props.shownKey === undefined) return;
    const index = rows.findIndex((row) => keyOf(row) === props.shownKey);
    if (index < 0) return;
    const [top, bottom] = [index * height, (index + 1) * height];
    const size = element.clientHeight - headerHeight;
    if (top < element.scrollTop) scrollTo(element, Math.max(0, top - height));
    else if (bottom > element.scrollTop + size) scrollTo(element, bottom - size + height);
  }, [props.shownKey, rows.length > 0]);

  const first = Math.max(0, Math.floor(view.top / height) - SPARE);
  const last = Math.min(rows.length, Math.ceil((view.top + view.size) / height) + SPARE);
  const scrolled = (element: HTMLDivElement): void => {
    const at = Math.floor(element.scrollTop / height);
    const row = rows[at];
    anchor.current = row === undefined ? undefined : { key: keyOf(row), offset: element.scrollTop - at * height };
    setView({ top: element.scrollTop, size: element.clientHeight });
    const byHand = !moved.current;
    moved.current = false;
    const end = Math.floor((element.scrollTop + element.clientHeight - headerHeight) / height) - 1;
    props.onScroll?.({ first: at, last: end, byHand });
  };
  const isGrid = props.role !== 'list';
  return (
    <div
      ref={box}
      class={props.className ?? 'rows'}
      role={props.role}
      aria-label={props.label}
      aria-rowcount={isGrid ? rows.length : undefined}
      aria-activedescendant={props.activeId}
      tabIndex={0}
      onScroll={(event) => scrolled(event.currentTarget)}
    >
      {props.header}
      <div class="rows-all" style={{ height: `${rows.length * height}px` }}>
        {props.behind?.({ first, last })}
        <div class="rows-seen" style={{ transform: `translateY(${first * height}px)` }}>
          {rows.slice(first, last).map((row, slot) => (
            // By its place, not by its row: a fast scroll then changes texts, and makes no new elements.
            <Fragment key={slot}>{render(row, first + slot)}</Fragment>
          ))}
        </div>
      </div>
    </div>
  );
}
