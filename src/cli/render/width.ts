// How wide a text is on a terminal, and how it is cut to fit.

import { harmless } from '../screen/harmless.ts';

const ZERO = /^[\p{Mn}\p{Me}\p{Cf}]$/u;
const PLAIN = /^[\x20-\x7e]*$/;

/** Columns that the text takes. */
export function widthOf(text: string): number {
  if (PLAIN.test(text)) return text.length;
  let width = 0;
  for (const character of text) width += widthOfCharacter(character);
  return width;
}

function widthOfCharacter(character: string): number {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x300) return 1;
  if (ZERO.test(character)) return 0;
  return isWide(code) ? 2 : 1;
}

const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x23e9, 0x23ec],
  [0x2614, 0x2615],
  [0x2705, 0x2705],
  [0x274c, 0x274c],
  [0x2e80, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x1f300, 0x1f64f],
  [0x1f680, 0x1f6ff],
  [0x1f900, 0x1faff],
  [0x20000, 0x3fffd],
];

const isWide = (code: number): boolean => WIDE.some(([from, to]) => code >= from && code <= to);

/** The text in at most `width` columns, with `…` where it was cut. */
export function fit(text: string, width: number): string {
  if (width <= 0) return '';
  if (widthOf(text) <= width) return text;
  let kept = '';
  let used = 0;
  for (const character of text) {
    const next = widthOfCharacter(character);
    if (used + next > width - 1) break;
    kept += character;
    used += next;
  }
  return `${kept}…`;
}

/** Exactly `width` columns: cut, or filled with blanks. */
export const padded = (text: string, width: number, side: Side = 'left'): string =>
  filled(fit(text, width), width, side);

/** The side on which the text stands. */
type Side = 'left' | 'right';

/** At least `width` columns. */
export function filled(text: string, width: number, side: Side = 'left'): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(text)));
  return side === 'left' ? text + blanks : blanks + text;
}

export const widestOf = <Row>(rows: readonly Row[], of: (row: Row) => number): number =>
  rows.reduce((widest, row) => Math.max(widest, of(row)), 0);

/** What is left of the text once it is written: widths are counted on it. */
export const printable = harmless;

/** On one line, blanks folded. */
export const oneLine = (text: string): string => printable(text).replaceAll(/\s+/g, ' ').trim();

/** As much of it, on one line, as any screen shows of a text in a row that is drawn again and again. */
export const beginning = (text: string): string => oneLine(text.slice(0, 2000));

/** The text in lines of at most `width` columns, broken at blanks where there are some. */
export function wrap(text: string, width: number): readonly string[] {
  return printable(text)
    .split('\n')
    .flatMap((line) => wrapLine(line.replaceAll('\t', '  '), Math.max(1, width)));
}

/** Every character is looked at once: a model may write a line of a megabyte. */
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
    for (const character of word) {
      const next = widthOfCharacter(character);
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
