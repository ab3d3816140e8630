// Draws lines in place on a terminal and redraws only those that changed. One write per frame, so that nothing
// flickers. The cursor rests below the last line; nothing above the first one is ever touched.

import { stripVTControlCharacters } from 'node:util';
import { rowOf, shownText } from '../screen/output.ts';
import { widthOf } from './width.ts';

const ERASE_LINE = '\u001b[K';
const ERASE_BELOW = '\u001b[J';
const up = (rows: number): string => (rows > 0 ? `\u001b[${rows}A` : '');

export class Painter {
  readonly #canvas;
  #drawn: readonly string[] = [];
  #columns: number;

  constructor(canvas: { readonly columns?: number; write(text: string): unknown }) {
    this.#canvas = canvas;
    this.#columns = canvas.columns ?? 80;
  }

  draw(given: readonly string[]): void {
    const lines = given.map(rowOf);
    const columns = this.#canvas.columns ?? 80;
    const frame = columns === this.#columns ? this.#difference(lines) : `${this.#erased()}${whole(lines)}`;
    this.#columns = columns;
    this.#drawn = lines;
    if (frame !== '') this.#canvas.write(frame);
  }

  /** Erases the lines, so that others can write where they stood. */
  clear(): void {
    if (this.#drawn.length > 0) this.#canvas.write(this.#erased());
    this.#drawn = [];
  }

  /** Writes text that stays, above the lines. */
  above(text: string): void {
    const lines = this.#drawn;
    this.#canvas.write(`${this.#erased()}${shownText(text)}\n${whole(lines)}`);
    this.#columns = this.#canvas.columns ?? 80;
  }

  /** Leaves the lines where they are and starts again below them. */
  leave(): void {
    this.#drawn = [];
  }

  #difference(lines: readonly string[]): string {
    const before = this.#drawn;
    let first = 0;
    while (first < before.length && first < lines.length && before[first] === lines[first]) first++;
    if (first === before.length && first === lines.length) return '';
    let frame = up(before.length - first);
    for (let index = first; index < lines.length; index++) {
      const line = lines[index] ?? '';
      frame += line === before[index] ? '\n' : `\r${line}${ERASE_LINE}\n`;
    }
    return lines.length < before.length ? `${frame}\r${ERASE_BELOW}` : frame;
  }

  /** After a change of width the terminal has wrapped what stood there: count the rows that it takes now. */
  #erased(): string {
    if (this.#drawn.length === 0) return '';
    const columns = Math.max(1, this.#canvas.columns ?? 80);
    const rows = this.#drawn.reduce((sum, line) => sum + rowsOf(line, columns), 0);
    return `${up(rows)}\r${ERASE_BELOW}`;
  }
}

const rowsOf = (line: string, columns: number): number =>
  Math.max(1, Math.ceil(widthOf(stripVTControlCharacters(line)) / columns));

const whole = (lines: readonly string[]): string => lines.map((line) => `${line}${ERASE_LINE}\n`).join('');
