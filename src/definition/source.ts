// A file's text and places in it. Offsets are kept while reading; lines and columns (both from 1, columns
// in UTF-16 units, as editors count) are worked out only for what is reported.

import type { Stretch } from '../base/yaml/node.ts';

export interface Source {
  /** Relative to the cadre's folder, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

/** A stretch of a source. */
export interface SourcePlace {
  readonly source: Source;
  readonly at: Stretch;
}

export interface SourcePosition {
  readonly line: number;
  readonly column: number;
  /** The column after the last one, where the stretch ends on the same line. */
  readonly endColumn?: number;
}

const lineStarts = new WeakMap<Source, readonly number[]>();

export function placeOf(source: Source, { start, end }: Stretch): SourcePosition {
  const line = lineOf(source, { start });
  const column = start - startsOf(source)[line - 1]! + 1;
  if (end <= start || lineOf(source, { start: end }) !== line) return { line, column };
  return { line, column, endColumn: column + end - start };
}

export function lineOf(source: Source, { start }: { readonly start: number }): number {
  const starts = startsOf(source);
  let low = 0;
  let high = starts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (starts[middle]! <= start) low = middle;
    else high = middle;
  }
  return low + 1;
}

function startsOf(source: Source): readonly number[] {
  const known = lineStarts.get(source);
  if (known !== undefined) return known;
  const starts = [0];
  for (let at = source.text.indexOf('\n'); at >= 0; at = source.text.indexOf('\n', at + 1)) starts.push(at + 1);
  lineStarts.set(source, starts);
  return starts;
}
