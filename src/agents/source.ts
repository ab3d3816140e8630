// A file's text and where things stand in it. Offsets are kept while reading; lines and columns (both from 1, columns
// in UTF-16 units, as editors count) are worked out only for what is reported.

import { LineCounter } from 'yaml';

export interface Source {
  /** Relative to the cadre's folder, with forward slashes. */
  readonly file: string;
  readonly text: string;
}

/** A stretch of a source's text. */
export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface Place {
  readonly line: number;
  readonly column: number;
  /** The column after the last one, where the stretch ends on the same line. */
  readonly endColumn?: number;
}

const counters = new WeakMap<Source, LineCounter>();

export function placeOf(source: Source, { start, end }: Stretch): Place {
  const counter = counterOf(source);
  const from = counter.linePos(start);
  const to = counter.linePos(Math.max(start, end));
  const place = { line: from.line, column: from.col };
  return to.line === from.line && end > start ? { ...place, endColumn: to.col } : place;
}

export const lineOf = (source: Source, { start }: Stretch): number => counterOf(source).linePos(start).line;

function counterOf(source: Source): LineCounter {
  let counter = counters.get(source);
  if (counter === undefined) {
    counter = new LineCounter();
    counter.addNewLine(0);
    for (let at = source.text.indexOf('\n'); at >= 0; at = source.text.indexOf('\n', at + 1))
      counter.addNewLine(at + 1);
    counters.set(source, counter);
  }
  return counter;
}
