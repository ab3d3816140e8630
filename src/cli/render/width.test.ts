import { expect, test } from 'vitest';
import { cutToWidth, fitText, oneLine, printable, widthOf, wrap } from './width.ts';

test.each([
  ['plain', 5],
  ['naïve', 5],
  ['你好', 4],
  ['e\u0301', 1],
  ['✓ ok', 4],
  ['🚀', 2],
  ['👩‍👩‍👧', 2],
  ['🇫🇷', 2],
  ['⌛', 2],
  ['𝒳', 1],
])('%s is %i columns wide', (text, width) => {
  expect(widthOf(text)).toBe(width);
});

test('links that are opened and never closed are counted in one pass', () => {
  expect(widthOf('é\u001b]8;'.repeat(100_000))).toBe(400_000);
});

test('a text that does not fit is cut, and says so', () => {
  expect(cutToWidth('abcdef', 6)).toBe('abcdef');
  expect(cutToWidth('abcdefg', 6)).toBe('abcde…');
  expect(cutToWidth('你好你好', 5)).toBe('你好…');
  expect(cutToWidth('abc', 0)).toBe('');
  expect(cutToWidth('👩‍👩‍👧👩‍👩‍👧👩‍👩‍👧', 5)).toBe('👩‍👩‍👧👩‍👩‍👧…');
});

test('padding fills either side', () => {
  expect(fitText('ab', 4)).toBe('ab  ');
  expect(fitText('ab', 4, 'right')).toBe('  ab');
});

test('escape sequences go as a whole, and what a string sequence holds stays to be read', () => {
  expect(printable('a\u001b[31mred\u001b[0m\u001b]0;title\u0007b\u0000\r\nc\td')).toBe('ared0;titleb\nc\td');
});

test('blanks are folded on one line', () => {
  expect(oneLine(' a\n\n b\tc ')).toBe('a b c');
});

test('lines are broken at blanks, and long words within', () => {
  expect(wrap('one two three', 8)).toEqual(['one two', 'three']);
  expect(wrap('abcdefghij', 4)).toEqual(['abcd', 'efgh', 'ij']);
  expect(wrap('a\n\nb', 10)).toEqual(['a', '', 'b']);
  expect(wrap('  deep one two', 10)).toEqual(['  deep one', '  two']);
});
