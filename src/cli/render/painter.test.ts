import { expect, test } from 'vitest';
import { Painter } from './painter.ts';

const ESC = '\u001b';
const PARTS = new RegExp(`${ESC}\\[\\d*[AJK]|\\n|\\r|[^${ESC}\\n\\r]+`, 'g');
const CONTROL = new RegExp(`^${ESC}\\[(\\d*)([AJK])$`);

/** A terminal, as far as the painter uses one. */
class Terminal {
  columns = 20;
  rows: string[] = [''];
  writes = 0;
  #row = 0;
  #column = 0;

  write(text: string): void {
    this.writes++;
    for (const [part] of text.matchAll(PARTS)) this.#apply(part);
  }

  #apply(part: string): void {
    const control = CONTROL.exec(part);
    if (part === '\n') {
      this.#row++;
      this.#column = 0;
      this.rows[this.#row] ??= '';
    } else if (part === '\r') this.#column = 0;
    else if (control?.[2] === 'A') this.#row -= Number(control[1]);
    else if (control?.[2] === 'J') {
      this.rows.length = this.#row + 1;
      this.rows[this.#row] = this.#line().slice(0, this.#column);
    } else if (control?.[2] === 'K') this.rows[this.#row] = this.#line().slice(0, this.#column);
    else {
      const line = this.#line();
      this.rows[this.#row] =
        line.slice(0, this.#column).padEnd(this.#column) + part + line.slice(this.#column + part.length);
      this.#column += part.length;
    }
  }

  #line(): string {
    return this.rows[this.#row] ?? '';
  }
}

const shown = (terminal: Terminal): readonly string[] => terminal.rows.slice(0, -1);

test('a frame shows its lines, whatever was there before', () => {
  const terminal = new Terminal();
  const painter = new Painter(terminal);
  for (const frame of [['one', 'two'], ['one', '2'], ['1', '2', 'three'], ['x'], [], ['a', 'b']]) {
    painter.draw(frame);
    expect(shown(terminal)).toEqual(frame);
  }
});

test('a frame is one write, and none where nothing changed', () => {
  const terminal = new Terminal();
  const painter = new Painter(terminal);
  painter.draw(['one', 'two', 'three']);
  painter.draw(['one', 'two', 'three']);
  expect(terminal.writes).toBe(1);
  painter.draw(['one', 'two', '3']);
  expect(terminal.writes).toBe(2);
});

test('lines that did not change are not written again', () => {
  const written: string[] = [];
  const painter = new Painter({ columns: 20, write: (text: string) => written.push(text) });
  painter.draw(['first', 'second', 'third']);
  painter.draw(['first', 'SECOND', 'third']);
  expect(written[1]).toContain('SECOND');
  expect(written[1]).not.toMatch(/first|third/);
});

test('text that stays goes above the lines', () => {
  const terminal = new Terminal();
  const painter = new Painter(terminal);
  painter.draw(['one', 'two']);
  painter.above('a notice');
  expect(shown(terminal)).toEqual(['a notice', 'one', 'two']);
  painter.draw(['one', '2']);
  expect(shown(terminal)).toEqual(['a notice', 'one', '2']);
});

test('cleared lines leave the screen to others, and come back below', () => {
  const terminal = new Terminal();
  const painter = new Painter(terminal);
  painter.draw(['one', 'two']);
  painter.clear();
  terminal.write('a question\n');
  painter.draw(['one']);
  expect(shown(terminal)).toEqual(['a question', 'one']);
});

test('after the screen has become narrower, the rows that lines were wrapped to are erased too', () => {
  const terminal = new Terminal();
  const painter = new Painter(terminal);
  painter.draw(['0123456789abcdef']);
  terminal.rows = ['0123456789', 'abcdef', '']; // as a terminal wraps it
  terminal.write('\n'); // the cursor moved down with the text
  terminal.columns = 10;
  painter.draw(['short']);
  expect(shown(terminal)).toEqual(['short']);
});
