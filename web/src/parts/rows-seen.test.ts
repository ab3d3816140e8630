// The rows in the document, and those that came unseen.

import { expect, test } from 'vitest';
import { drawnRange, jumpRange, NO_SLOTS, slotsFor, unseenRows } from './rows-seen.ts';

test('rows in view and a few beyond are drawn, and a small scroll changes nothing', () => {
  expect(drawnRange(0, 240, 24, 10_000)).toEqual({ first: 0, last: 18 });
  expect(drawnRange(24_000, 240, 24, 10_000)).toEqual({ first: 994, last: 1018 });
  expect(drawnRange(24_000 + 47, 240, 24, 10_000)).toEqual({ first: 994, last: 1018 });
  expect(drawnRange(0, 240, 24, 3)).toEqual({ first: 0, last: 3 });
  expect(drawnRange(5000, 240, 24, 3)).toEqual({ first: 3, last: 3 });
});

test('after a jump only what is seen is drawn, as many rows wherever it ends', () => {
  expect(jumpRange(0, 240, 24, 10_000)).toEqual({ first: 0, last: 11 });
  expect(jumpRange(24_000, 240, 24, 10_000)).toEqual({ first: 1000, last: 1011 });
  expect(jumpRange(24_000 + 23, 240, 24, 10_000)).toEqual({ first: 1000, last: 1011 });
  expect(jumpRange(240_000 - 240, 240, 24, 10_000)).toEqual({ first: 9989, last: 10_000 });
  expect(jumpRange(5000, 240, 24, 3)).toEqual({ first: 0, last: 3 });
});

test('rows that stay in view keep their elements, those that come take the elements of those that left', () => {
  const begun = slotsFor(NO_SLOTS, { first: 0, last: 5 });
  expect(begun.keys).toEqual([0, 1, 2, 3, 4]);
  const down = slotsFor(begun, { first: 2, last: 7 });
  expect(down.keys).toEqual([2, 3, 4, 0, 1]);
  const up = slotsFor(down, { first: 1, last: 6 });
  expect(up.keys).toEqual([1, 2, 3, 4, 0]);
});

test('after a jump the elements stay in their order', () => {
  const begun = slotsFor(slotsFor(NO_SLOTS, { first: 0, last: 4 }), { first: 1, last: 5 });
  expect(slotsFor(begun, { first: 900, last: 904 }).keys).toEqual(begun.keys);
});

test('a larger view takes new elements, and no key is given twice', () => {
  const small = slotsFor(slotsFor(NO_SLOTS, { first: 0, last: 6 }), { first: 2, last: 4 });
  const large = slotsFor(small, { first: 0, last: 8 });
  expect(new Set(large.keys).size).toBe(8);
  expect(large.keys.slice(2, 4)).toEqual(small.keys);
});

test('rows that come outside the view are counted until they are seen', () => {
  const rows = unseenRows(['a', 'b', 'c']);
  const view = { first: 1, last: 3 };
  expect(rows.look(['a', 'b', 'c'], view)).toEqual({ above: 0, below: 0 });
  const more = ['new', 'a', 'b', 'c', 'd', 'e'];
  expect(rows.look(more, { first: 2, last: 4 })).toEqual({ above: 1, below: 2 });
  expect(rows.look(more, { first: 2, last: 5 })).toEqual({ above: 1, below: 1 });
  expect(rows.look(more, { first: 0, last: 3 })).toEqual({ above: 0, below: 1 });
});

test('a row that came into view at once is not counted, and one that went away no longer', () => {
  const rows = unseenRows(['a']);
  expect(rows.look(['a', 'b'], { first: 0, last: 2 })).toEqual({ above: 0, below: 0 });
  expect(rows.look(['a', 'b', 'c'], { first: 0, last: 2 })).toEqual({ above: 0, below: 1 });
  expect(rows.look(['a', 'b'], { first: 0, last: 2 })).toEqual({ above: 0, below: 0 });
});
