// The widths of the timeline's columns. A person drags them; the browser keeps the choice, for every run.

import { signal } from '@preact/signals';
import { keep, kept } from '../../../data/kept.ts';

export type Column = 'names' | 'figures';
export type Widths = Readonly<Partial<Record<Column, number>>>;

export const LIMITS: Readonly<Record<Column, { readonly least: number; readonly most: number }>> = {
  names: { least: 140, most: 720 },
  figures: { least: 132, most: 360 },
};

const within = (column: Column, width: number): number =>
  Math.round(Math.min(LIMITS[column].most, Math.max(LIMITS[column].least, width)));

const KEY = 'timeline.columns';

export function widthsIn(value: unknown): Widths {
  if (typeof value !== 'object' || value === null) return {};
  const found = Object.entries(value).filter(
    (pair): pair is [Column, number] => pair[0] in LIMITS && typeof pair[1] === 'number' && Number.isFinite(pair[1]),
  );
  return Object.fromEntries(found.map(([column, width]) => [column, within(column, width)]));
}

/** The chosen widths. A column without one has that of the design. */
export const columns = signal<Widths>(widthsIn(kept(KEY)));

/** Undefined: as the design has it. */
export function setColumn(column: Column, width: number | undefined): void {
  const { [column]: _, ...others } = columns.value;
  columns.value = width === undefined ? others : { ...others, [column]: within(column, width) };
  keep(KEY, columns.value);
}
