import fc from 'fast-check';
import { expect, test } from 'vitest';
import { distanceWithin, nearest } from './nearest.ts';

test.each([
  ['biling', 'billing'],
  ['BILLING', 'billing'],
  ['bil-ling', 'billing'],
  ['blling', 'billing'],
  ['ibling', 'billing'],
  ['x', undefined],
  ['weather', undefined],
])('the nearest word to %s is %s', (word, expected) => {
  expect(nearest(word, ['triage', 'billing', 'audit'])).toBe(expected);
});

test('the distance is symmetric, zero for equals only, and gives up beyond its limit', () => {
  const word = fc.string({ maxLength: 8, unit: fc.constantFrom('a', 'b', 'c') });
  fc.assert(
    fc.property(word, word, fc.nat(8), (a, b, limit) => {
      const full = distanceWithin(a, b, 20)!;
      expect(full).toBe(distanceWithin(b, a, 20));
      expect(full === 0).toBe(a === b);
      expect(distanceWithin(a, b, limit)).toBe(full <= limit ? full : undefined);
    }),
  );
});
