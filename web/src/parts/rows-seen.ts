// The rows that are in the document, of very many, and those that came while they could not be seen. Pure.

/** Rows from `first` up to, but not including, `last`. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** Rows beyond the view on either side. */
const SPARE = 6;
/** The range moves in steps of so many rows: a scroll within a step draws nothing. */
const STEP = 4;

/** The rows that are drawn while those between `top` and `top + size` pixels are seen. */
export function drawnRange(top: number, size: number, height: number, count: number): RowRange {
  const first = Math.floor(top / height / STEP) * STEP - SPARE;
  const last = Math.ceil((top + size) / height / STEP) * STEP + SPARE;
  return { first: Math.max(0, Math.min(first, count)), last: Math.max(0, Math.min(last, count)) };
}

/**
 * Only the rows that are seen: after a jump all of them are drawn anew, and the next jump may follow in the next frame. It
 * is the same number wherever the jump ends, so that no element comes or goes.
 */
export function jumpRange(top: number, size: number, height: number, count: number): RowRange {
  const shown = Math.min(Math.ceil(size / height) + 1, count);
  const first = Math.max(0, Math.min(Math.floor(top / height), count - shown));
  return { first, last: first + shown };
}

/** The keys of the rows that are drawn, from row `first` on. */
export interface Slots {
  readonly first: number;
  readonly keys: readonly number[];
  /** A key that no row has had yet. */
  readonly next: number;
}

export const NO_SLOTS: Slots = { first: 0, keys: [], next: 0 };

/**
 * A row that stays in view keeps its key, and with it its elements. Those that come into view take the keys of those that
 * left it, in their order: a scroll makes no new elements, and a jump moves none.
 */
export function slotsFor(before: Slots, { first, last }: RowRange): Slots {
  const keptKey = (row: number): number | undefined => before.keys[row - before.first];
  const free = before.keys.filter((_, place) => before.first + place < first || before.first + place >= last);
  let { next } = before;
  const keys = Array.from({ length: last - first }, (_, place) => keptKey(first + place) ?? free.shift() ?? next++);
  return { first, keys, next };
}

/** The number of rows that came where they could not be seen, and were not seen since. */
export interface Unseen {
  readonly above: number;
  readonly below: number;
}

export interface UnseenRows {
  /** The rows are others now, or others of them are in view. */
  look(keys: readonly string[], view: RowRange): Unseen;
}

/** Counts from the rows that it is made with: they are not new. */
export function unseenRows(begun: readonly string[]): UnseenRows {
  const known = new Set(begun);
  const unseen = new Set<string>();
  let last: readonly string[] = begun;
  return {
    look(keys, view) {
      if (keys !== last) {
        for (const key of keys) {
          if (known.has(key)) continue;
          known.add(key);
          unseen.add(key);
        }
        last = keys;
      }
      if (unseen.size === 0) return NONE;
      for (let row = view.first; row < view.last; row++) unseen.delete(keys[row] ?? '');
      let [above, below] = [0, 0];
      for (const [row, key] of keys.entries()) {
        if (!unseen.has(key)) continue;
        if (row < view.first) above++;
        else below++;
      }
      return above + below === 0 ? NONE : { above, below };
    },
  };
}

const NONE: Unseen = { above: 0, below: 0 };
