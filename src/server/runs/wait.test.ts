import { expect, test } from 'vitest';
import { waitedMs } from './wait.ts';

test('a wait is a duration of at most ten minutes', () => {
  expect([undefined, '0s', '30s', '10m', 5].map(waitedMs)).toEqual([undefined, 0, 30_000, 600_000, 5000]);
  for (const wrong of ['11m', 'soon', -1, true, ''])
    expect(() => waitedMs(wrong)).toThrow('wait takes a duration such as 30s');
});
