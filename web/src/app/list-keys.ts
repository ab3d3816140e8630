// The keys of a list: to the next row and the one before, to the first and the last.

import type { KeyBinding } from './keys.ts';

interface ListKeys {
  /** The place of the chosen row; -1: none. */
  readonly at: number;
  readonly length: number;
  /** The words for a row: `event` of `next event`. */
  readonly row: string;
  readonly move: (to: number) => void;
}

export function listKeys({ at, length, row, move }: ListKeys): readonly KeyBinding[] {
  const within = (to: number): void => move(Math.max(0, Math.min(length - 1, to)));
  return [
    { keys: 'ArrowDown|j', does: `next ${row}`, run: () => within(at + 1) },
    { keys: 'ArrowUp|k', does: `the ${row} before`, run: () => within(at - 1) },
    { keys: 'Home', does: `first ${row}`, run: () => within(0) },
    { keys: 'End', does: `last ${row}`, run: () => within(length - 1) },
  ];
}
