// The width of a text on a terminal, and the cutting that makes it fit.

import columnsOf from 'fast-string-width';
import { escapeControl } from '../screen/escape-control.ts';

const PLAIN = /^[\x20-\x7e]*$/;

const CONTROL = /\p{Cc}/gu;

/** Columns that the text takes. What follows an escape character counts as text, as finding its end may be slow. */
export const widthOf = (text: string): number =>
  PLAIN.test(text) ? text.length : columnsOf(text.replaceAll(CONTROL, ''));

/** A character as a terminal shows it in one place: a letter with its accents, an emoji of several parts. */
const CHARACTER = /\p{RI}{2}|.(?:[\p{M}\p{Cf}\p{Emoji_Modifier}]|(?<=\u200d).)*/gsu;

/** The text in at most `width` columns, with `…` where it was cut. */
export function cutToWidth(text: string, width: number): string {
  if (width <= 0) return '';
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const [character] of text.matchAll(CHARACTER)) {
    const next = widthOf(character);
    if (used + next > width - 1) break;
    kept += character;
    used += next;
  }
  return `${kept}…`;
}

/** The text in exactly `width` columns: cut, or padded with spaces. */
export const fitText = (text: string, width: number, side: 'left' | 'right' = 'left'): string =>
  padText(cutToWidth(text, width), width, side);

/** The text in at least `width` columns. */
export function padText(text: string, width: number, side: 'left' | 'right' = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? text + blanks : blanks + text;
}

export const widestOf = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((widest, row) => Math.max(widest, of(row)), 0);

/** The text as it is written: widths are counted on it. */
export const printable = escapeControl;

/** The text on one line, with runs of whitespace as one space. */
export const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ').trim();

/** The beginning of the text on one line, as much as any screen shows in a row that is redrawn often. */
export const beginning = (text: string): string => oneLine(text.slice(0, 2000));

/** The text in lines of at most `width` columns, broken at blanks where there are some. */
export function wrap(text: string, width: number): readonly string[] {
  return printable(text)
    .split('\n')
    .flatMap((line) => wrapLine(line.replaceAll('\t', '  '), Math.max(1, width)));
}

/** The lines of a text below a heading: as they are, or as wide as the terminal. */
export function indentedText(text: string, indent: string, columns: number | undefined): readonly string[] {
  const lines = columns === undefined ? printable(text).split('\n') : wrap(text, columns - indent.length);
  return lines.map((line) => (line === '' ? '' : `${indent}${line}`));
}

/** Looks at every character once, because a model may write a line of a megabyte. */
function wrapLine(line: string, width: number): readonly string[] {
  if (widthOf(line) <= width) return [line];
  const lines: string[] = [];
  const indent = /^ */.exec(line)?.[0].slice(0, Math.floor(width / 2)) ?? '';
  let current = '';
  let used = 0;
  for (const word of line.split(/(?<= )(?=[^ ])/)) {
    const wordWidth = widthOf(word.trimEnd());
    if (used + wordWidth > width && current.trim() !== '') {
      lines.push(current.trimEnd());
      current = indent;
      used = indent.length;
    }
    if (used + wordWidth <= width) {
      current += word;
      used += widthOf(word);
      continue;
    }
    for (const [character] of word.matchAll(CHARACTER)) {
      const next = widthOf(character);
      if (used + next > width && character !== ' ' && current !== '') {
        lines.push(current);
        current = '';
        used = 0;
      }
      current += character;
      used += next;
    }
  }
  if (current.trim() !== '') lines.push(current.trimEnd());
  return lines;
}
