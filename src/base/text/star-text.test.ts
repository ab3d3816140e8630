import { expect, test } from 'vitest';
import { matchesStars } from './star-text.ts';

test.each([
  ['a', 'a', true],
  ['a', 'ab', false],
  ['a*', 'a', true],
  ['*b*', 'abc', true],
  ['ab*ba', 'aba', false],
  ['ab*ba', 'abba', true],
  ['*a*a*', 'a', false],
  ['', '', true],
  ['', 'a', false],
  ['*', '\n', true],
])('%j of %j is %s', (pattern, text, expected) => {
  expect(matchesStars(pattern, text)).toBe(expected);
});

test('a star that may stand for some texts alone finds the one way to match', () => {
  const noComma = (part: string): boolean => !part.includes(',');
  expect(matchesStars('*, *', 'a, b', noComma)).toBe(true);
  expect(matchesStars('*, *', 'a, b, c', noComma)).toBe(false);
  expect(matchesStars('*a*', 'xaxa', noComma)).toBe(true);
  expect(matchesStars('*ab,*', 'ab,ab', noComma)).toBe(true);
});
