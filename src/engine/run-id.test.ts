import { expect, test } from 'vitest';
import { newRunId } from './run-id.ts';

test.each([
  [Date.UTC(2026, 10, 16, 17, 53, 2, 123), '20261116-175302-123'],
  [Date.UTC(2026, 10, 16, 17, 53, 2, 7), '20261116-175302-007'],
  [Date.UTC(2026, 10, 16, 17, 53, 3, 0) + 0.9, '20261116-175303-000'],
  [0, '19700101-000000-000'],
])('a run id of %d begins with that moment in UTC and ends with four letters', (now, moment) => {
  expect(newRunId(now)).toMatch(new RegExp(`^${moment}[0-9a-f]{4}$`));
});

test('run ids of one moment differ', () => {
  const ids = Array.from({ length: 1000 }, () => newRunId(1));
  expect(new Set(ids).size).toBe(1000);
});
