// A plain table for a terminal: columns are as wide as what they hold, and one of them shrinks on a narrow screen.

import { cutToWidth, fitText, padText, widestOf, widthOf } from './width.ts';

export interface Column {
  readonly title: string;
  readonly align?: 'right';
  /** This column gets the width that is left, and is cut to it. */
  readonly flexible?: true;
}

const GAP = '  ';
const LEAST = 8;
/** The longest cell to whose length rows are padded, without a width. */
const FILLED = 160;

/** The first line is the titles. Without a width nothing is cut. */
export function table(columns: readonly Column[], rows: readonly (readonly string[])[], width?: number): string[] {
  const all = [columns.map(({ title }) => title), ...rows];
  const widths = columns.map((_, index) =>
    Math.min(
      width ?? FILLED,
      widestOf(all, (row) => widthOf(row[index] ?? '')),
    ),
  );
  const flexible = columns.findIndex((column) => column.flexible);
  if (width !== undefined && flexible >= 0) {
    const others = widths.reduce((sum, one, index) => sum + (index === flexible ? 0 : one + GAP.length), 0);
    widths[flexible] = Math.max(LEAST, Math.min(widths[flexible] ?? 0, width - others));
  }
  const placed = width === undefined ? padText : fitText;
  return all.map((row) => {
    const cells = columns.map(({ align }, index) => placed(row[index] ?? '', widths[index] ?? 0, align));
    const line = cells.join(GAP).trimEnd();
    return width === undefined ? line : cutToWidth(line, width);
  });
}
