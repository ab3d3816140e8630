// The progress of a list that counts runs from their journals, because its index has nothing of them that counts. It is
// asked by whoever waits for such a list.

import type { IndexProgress } from '../journal/store.ts';

/** `few`: so many are counted without a word. */
export function indexCounting(few: number): {
  /** A list begins that finds so many runs without a line. Call the function that it returns at its end. */
  begin(missing: number): () => void;
  /** One of them was counted. */
  did(): void;
  readonly progress: () => IndexProgress | undefined;
} {
  let lists = 0;
  let done = 0;
  let of = 0;
  return {
    begin(missing) {
      if (missing <= few) return () => {};
      if (lists++ === 0) done = of = 0;
      of = Math.max(of, done + missing);
      return () => void lists--;
    },
    did: () => void done++,
    progress: () => (lists > 0 ? { done: Math.min(done, of), of } : undefined),
  };
}
