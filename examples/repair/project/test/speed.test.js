import assert from 'node:assert/strict';
import { test } from 'node:test';
import { knots, passage } from '../src/speed.js';

test('a nautical mile in an hour is one knot', () => {
  assert.equal(knots(1852, 3600), 1);
});

test('a passage of 12 miles at 8 knots takes an hour and a half', () => {
  assert.deepEqual(passage(12, 8), { hours: 1, minutes: 30 });
});

test('a passage of 10 miles at 4 knots takes two hours and a half', () => {
  assert.deepEqual(passage(10, 4), { hours: 2, minutes: 30 });
});
