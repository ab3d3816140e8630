import { expect, test } from 'vitest';
import { escapeControl, escapeControlJson, withoutCommands, withoutCommandsJson } from './escape-control.ts';

test.each([
  ['plain text\n\twith tabs', 'plain text\n\twith tabs'],
  ['naïve 你好 שלום سلام 🚀', 'naïve 你好 שלום سلام 🚀'],
  ['می\u200cخواهم 👩\u200d👩\u200d👧 ❤\ufe0f', 'می\u200cخواهم 👩\u200d👩\u200d👧 ❤\ufe0f'],
  ['an icon \ue0b0 of a font', 'an icon \ue0b0 of a font'],
])('%j is shown as it is', (text, shown) => {
  expect(escapeControl(text)).toBe(shown);
});

test.each([
  ['a colour', '\u001b[38;2;255;0;0mred\u001b[0m', 'red'],
  ['a colour in 8 bits', '\u009b31mred\u009b0m', 'red'],
  ['a movement of the cursor', 'one\u001b[2K\u001b[1Atwo', 'onetwo'],
  ['a reset', 'one\u001bctwo', 'onetwo'],
  ['another character set', '\u001b(0lqk', 'lqk'],
  ['a title', '\u001b]0;a title\u0007text', '0;a titletext'],
  ['a title in 8 bits', '\u009d0;a title\u009ctext', '0;a titletext'],
  ['a title without an end', '\u001b]0;what follows is text\nand this', '0;what follows is text\nand this'],
  ['a link', '\u001b]8;;https://one.example\u001b\\two\u001b]8;;\u001b\\', '8;;https://one.exampletwo8;;'],
  ['a sequence in a sequence', '\u001b\u001b[31m[31mred', '[31mred'],
  ['a return', 'safe\rrm -rf', 'saferm -rf'],
  ['backspaces', 'safe\b\b\b\bevil', 'safeevil'],
  ['a delete and a next line', 'a\u007fb\u0085c', 'abc'],
  ['a change of direction', 'x\u202etxt.exe\u202c \u2066y\u2069 \u200fz\u061c', 'xtxt.exe y z'],
  ['unseen characters', 'pay\u200bpal\u00ad\u2060\ufeff\u{e0041}', 'paypal'],
  ['separators of lines', 'a\u2028b\u2029c', 'a b c'],
])('%s has no effect', (_what, text, shown) => {
  expect(escapeControl(text)).toBe(shown);
  expect(escapeControl(shown)).toBe(shown);
});

test('JSON keeps its value, and has no character that a terminal acts on', () => {
  const value = { text: 'a\u001b[31m\u007f\u009b31m\u2028\u202e\u{e0041}\u200d ##[error]x' };
  const json = withoutCommandsJson(escapeControlJson(JSON.stringify(value)));
  expect(JSON.parse(json)).toEqual(value);
  expect(escapeControl(json)).toBe(json);
  expect(json).not.toContain('##[');
});

test.each([
  ['::error::x', '\\::error::x'],
  ['a\n \t::add-mask::x\nb', 'a\n \t\\::add-mask::x\nb'],
  ['\u00a0\u3000::error::x', '\u00a0\u3000\\::error::x'],
  ['see ##[error]x and ###[group]y', 'see ##\\[error]x and ###\\[group]y'],
  ['##vso[task.setvariable]x', '##\\vso[task.setvariable]x'],
  ['std::vector and ## a heading', 'std::vector and ## a heading'],
])('%j is no command to a CI service', (text, shown) => {
  expect(withoutCommands(text)).toBe(shown);
  expect(withoutCommands(shown)).toBe(shown);
});
