import { expect, test } from 'vitest';
import * as amounts from './amounts.ts';

test.each([
  [0, '$0'],
  [0.0000001, '<$1e-6'],
  [0.00002, '$0.00002'],
  [0.001234, '$0.0012'],
  [0.01, '$0.010'],
  [1.5, '$1.500'],
  [123.456, '$123.46'],
  [12345.6, '$12346'],
])('%d dollars are written %s', (amount, text) => {
  expect(amounts.usd(amount)).toBe(text);
});

test.each([
  [{ input: 0, cacheRead: 0, cacheWrite: 0 }, undefined],
  [{ input: 100, cacheRead: 0, cacheWrite: 0 }, undefined],
  [{ input: 1000, cacheRead: 614, cacheWrite: 0 }, '61% of the input read from cache (614 tokens)'],
  [
    { input: 1000, cacheRead: 500, cacheWrite: 80 },
    '50% of the input read from cache (500 tokens), 8% written to it (80)',
  ],
])('the caches of %j are told as %j', (totals, words) => {
  expect(amounts.cacheWords(totals)).toBe(words);
});

test.each([
  [0, '0ms'],
  [999, '999ms'],
  [1234, '1.2s'],
  [59_990, '1m00s'],
  [61_000, '1m01s'],
  [7_260_000, '2h01m'],
])('%d milliseconds are written %s', (ms, text) => {
  expect(amounts.duration(ms)).toBe(text);
});

test.each([
  [999, '999'],
  [1234, '1.2k'],
  [9999, '10k'],
  [123_456, '123k'],
  [1_234_567, '1.2M'],
])('%d tokens are written %s', (count, text) => {
  expect(amounts.tokens(count)).toBe(text);
});

test('an unknown price is said to be unknown, and a partly known one is a lower bound', () => {
  expect(amounts.cost(undefined, 2)).toBe('price unknown');
  expect(amounts.cost(0.5, 1)).toBe('≥ $0.500');
  expect(amounts.cost(0.5, 0)).toBe('$0.500');
});
