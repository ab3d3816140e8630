// Very many rows of one height, of which only those in view are in the document. Rows that come in above the view do
// not move what is seen: the first visible row keeps its place. Rows that come where they cannot be seen are counted.
// WINDOW-1. A row that stays in view while others come and go is neither moved nor drawn again: each stands at its own
//           place.
// WINDOW-2. Whether a person scrolled is told by their hand, never by where the table stands: layout and clamping move
//           it too.

import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Icon } from './icon.tsx';
import { drawnRange, jumpRange, NO_SLOTS, type RowRange, slotsFor, type Unseen, unseenRows } from './rows-seen.ts';

/** So long after a jump the rows beyond the view are drawn as well. */
const REST_MS = 100;

export interface RowPlace {
  readonly index: number;
  /** The top in pixels. */
  readonly top: number;
  /** The key of what is drawn: it is that of a row that left the view, whose elements it takes. */
  readonly slot: number;
}

export interface RowsProps<Row> {
  readonly rows: readonly Row[];
  readonly height: number;
  readonly keyOf: (row: Row) => string;
  readonly render: (row: Row, place: RowPlace) => ComponentChildren;
  /** A row of heads that stays at the top, and its height. */
  readonly header?: ComponentChildren;
  readonly headerHeight?: number;
  /**
   * The layer behind the rows that scrolls with them, such as lines of a grid. It is told which rows are near the view.
   */
  readonly behind?: (seen: RowRange) => ComponentChildren;
  /** Brought into view when it changes. */
  readonly shownKey?: string | undefined;
  readonly label: string;
  readonly role: 'treegrid' | 'grid' | 'list';
  /** The id of the row that the keyboard is on. */
  readonly activeId?: string | undefined;
  readonly className?: string;
  /** Rows that come outside the view are counted. When this is another value, the rows of that moment are not new. */
  readonly countedSince?: unknown;
  readonly onScroll?: (place: { readonly first: number; readonly last: number }) => void;
  /** The end stays in view, whatever comes above it and however the table is laid out. */
  readonly atEnd?: boolean;
  /** WINDOW-2: a person moves the table: by wheel, finger, scroll bar or key. */
  readonly onHand?: () => void;
}

export function RowsWindow<Row>(props: RowsProps<Row>) {
  const { rows, height, render } = props;
  const { box, drawn, scrolled, unseen } = useDrawnRows(props);
  const slots = useRef(NO_SLOTS);
  slots.current = slotsFor(slots.current, drawn);
  return (
    <>
      <div
        ref={box}
        class={`rows fills scrolls ${props.className ?? ''}`}
        role={props.role}
        aria-label={props.label}
        aria-rowcount={props.role === 'list' ? undefined : rows.length}
        aria-activedescendant={props.activeId}
        tabIndex={0}
        onScroll={(event) => scrolled(event.currentTarget)}
        {...handsOn(props.onHand)}
      >
        {props.header}
        <div class="rows-all" style={{ height: `${rows.length * height}px` }}>
          {props.behind?.(drawn)}
          {slots.current.keys.map((slot, at) => {
            const index = drawn.first + at;
            const row = rows[index];
            return row === undefined ? null : render(row, { index, top: index * height, slot });
          })}
        </div>
      </div>
      <NewRows
        of={unseen}
        onShow={(end) => {
          const element = box.current;
          if (element !== null) element.scrollTop = end === 'below' ? element.scrollHeight : 0;
        }}
      />
    </>
  );
}

/** The rows that are drawn: those in view, and beyond it as far as a person scrolls before the next are drawn. */
function useDrawnRows<Row>(props: RowsProps<Row>) {
  const { rows, height, keyOf, headerHeight = 0 } = props;
  const box = useRef<HTMLDivElement>(null);
  const place = useRef({ top: 0, size: 800 });
  const [range, setRange] = useState<RowRange>(() => drawnRange(0, 800, height, rows.length));
  const anchor = useRef<Anchor | undefined>(undefined);
  const resting = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  const news = useUnseen(props, () => viewOf(place.current, height, headerHeight));
  const current = useRef(rows.length);
  current.current = rows.length;
  const draw = (count: number, rangeOf = drawnRange): void => {
    const { top, size } = place.current;
    const next = rangeOf(top, size, height, count);
    setRange((now) => (now.first === next.first && now.last === next.last ? now : next));
  };
  const toEnd = useRef((): void => undefined);
  toEnd.current = () => {
    if (box.current !== null && props.atEnd === true) box.current.scrollTop = box.current.scrollHeight;
  };
  useSize(box, height, (element) => {
    place.current = { top: element.scrollTop, size: element.clientHeight };
    draw(current.current);
    news.look();
    toEnd.current();
  });
  useLayoutEffect(() => () => clearTimeout(resting.current), [height]);
  useLayoutEffect(() => {
    draw(rows.length);
    if (props.atEnd === true) toEnd.current();
    else keepPlace(box.current, anchor.current, props);
  }, [rows, height, props.atEnd]);
  useLayoutEffect(() => bringIntoView(box.current, props), [props.shownKey, rows.length > 0]);
  const scrolled = (element: HTMLDivElement): void => {
    const before = place.current;
    place.current = { ...before, top: element.scrollTop };
    const jumps = Math.abs(place.current.top - before.top) > before.size;
    const { first, last } = viewOf(place.current, height, headerHeight);
    const row = rows[first];
    anchor.current = row === undefined ? undefined : { key: keyOf(row), offset: place.current.top - first * height };
    clearTimeout(resting.current);
    draw(rows.length, jumps ? jumpRange : drawnRange);
    if (jumps) resting.current = setTimeout(() => draw(current.current), REST_MS);
    news.look();
    props.onScroll?.({ first, last: last - 1 });
  };
  const drawn = { first: Math.min(range.first, rows.length), last: Math.min(range.last, rows.length) };
  return { box, drawn, scrolled, unseen: news.unseen };
}

/** `height`: that of a row; with another one the size is looked at again. */
function useSize(
  box: { readonly current: HTMLElement | null },
  height: number,
  onSize: (element: HTMLElement) => void,
): void {
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const observer = new ResizeObserver(() => onSize(element));
    observer.observe(element);
    return () => observer.disconnect();
  }, [height]);
}

/** The first visible row. */
interface Anchor {
  readonly key: string;
  /** The pixels by which it is scrolled out. */
  readonly offset: number;
}

/** The first visible row stays where it is seen, whatever has come above it. */
function keepPlace<Row>(
  element: HTMLElement | null,
  anchor: Anchor | undefined,
  { rows, keyOf, height }: RowsProps<Row>,
): void {
  if (element === null || anchor === undefined || element.scrollTop === 0) return;
  const index = rows.findIndex((row) => keyOf(row) === anchor.key);
  const top = index * height + anchor.offset;
  if (index >= 0 && Math.abs(top - element.scrollTop) >= 1) element.scrollTop = top;
}

/** With a row of room, where it was out of view. */
function bringIntoView<Row>(
  element: HTMLElement | null,
  { rows, keyOf, height, headerHeight = 0, shownKey }: RowsProps<Row>,
): void {
  if (element === null || shownKey === undefined) return;
  const index = rows.findIndex((row) => keyOf(row) === shownKey);
  if (index < 0) return;
  const [top, bottom] = [index * height, (index + 1) * height];
  const size = element.clientHeight - headerHeight;
  if (top < element.scrollTop) element.scrollTop = Math.max(0, top - height);
  else if (bottom > element.scrollTop + size) element.scrollTop = bottom - size + height;
}

/** WINDOW-2 */
function handsOn(onHand: (() => void) | undefined) {
  if (onHand === undefined) return {};
  const canMove = ({ scrollHeight, clientHeight }: HTMLElement): boolean => scrollHeight > clientHeight;
  const moved = ({ currentTarget }: { readonly currentTarget: HTMLElement }): void => {
    if (canMove(currentTarget)) onHand();
  };
  return {
    onWheel: moved,
    onTouchMove: moved,
    onPointerDown: (event: PointerEvent & { readonly currentTarget: HTMLElement }) => {
      // Beside what the table holds stands its scroll bar.
      const { left } = event.currentTarget.getBoundingClientRect();
      if (event.clientX - left >= event.currentTarget.clientWidth) moved(event);
    },
    onKeyDown: (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
      if (/^(?:Page(?:Up|Down)|Arrow(?:Up|Down)|Home|End| )$/.test(event.key)) moved(event);
    },
  };
}

/** The rows that are seen, in whole or in part. */
const viewOf = ({ top, size }: { readonly top: number; readonly size: number }, height: number, head: number) => ({
  first: Math.floor(top / height),
  last: Math.max(0, Math.floor((top + size - head) / height)),
});

function useUnseen<Row>({ rows, keyOf, countedSince }: RowsProps<Row>, view: () => RowRange) {
  const counted = countedSince !== undefined;
  const keys = useMemo(() => (counted ? rows.map(keyOf) : []), [rows, counted]);
  const counter = useMemo(() => unseenRows(keys), [countedSince]);
  const [unseen, setUnseen] = useState<Unseen>({ above: 0, below: 0 });
  const latest = useRef(keys);
  latest.current = keys;
  const look = (): void => {
    if (!counted) return;
    const next = counter.look(latest.current, view());
    setUnseen((now) => (now.above === next.above && now.below === next.below ? now : next));
  };
  useLayoutEffect(look, [keys, counter]);
  return { unseen, look };
}

const NewRows = (props: { readonly of: Unseen; readonly onShow: (end: 'above' | 'below') => void }) => (
  <>
    {(['above', 'below'] as const).map(
      (end) =>
        props.of[end] > 0 && (
          <div key={end} class={`rows-new ${end}`}>
            <button type="button" class="line small-text" onClick={() => props.onShow(end)}>
              <Icon name={end === 'below' ? 'down' : 'up'} />
              {props.of[end]} new {end}
            </button>
          </div>
        ),
    )}
  </>
);
