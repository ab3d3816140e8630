import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatDuration, MAX_DURATION_MS, parseDuration } from './duration.ts';

test.each([
  ['500ms', 500],
  ['30s', 30_000],
  ['10m', 600_000],
  ['2h', 7_200_000],
  ['1.5h', 5_400_000],
  ['45', 45_000],
  [45, 45_000],
  [0.25, 250],
])('%j is %d ms', (written, ms) => {
  expect(parseDuration(written)).toBe(ms);
});

test.each([
  '',
  'x',
  '10 min',
  '1d',
  '-5s',
  '1e3s',
  's',
  '9'.repeat(30),
  Number.NaN,
  Number.POSITIVE_INFINITY,
  true,
  null,
  {},
])('%j is not a duration', (written) => {
  expect(parseDuration(written)).toBeUndefined();
});

test('a duration that is written back is read as the same', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_DURATION_MS }), (ms) => {
      expect(parseDuration(formatDuration(ms))).toBe(ms);
    }),
  );
  expect([600_000, 7_200_000, 1500, 90_000].map(formatDuration)).toEqual(['10m', '2h', '1500ms', '90s']);
});
