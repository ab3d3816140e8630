// The axis of time.

import { expect, test } from 'vitest';
import { moved, ticksOf, waitsWithRoom, within, zoomed, zoomIn, zoomText } from './axis.ts';
import { atOnce, overviewOf, topOf } from './overview.ts';

test.each([
  [3640, ['0', '0.5 s', '1.0 s', '1.5 s', '2.0 s', '2.5 s', '3.0 s', '3.5 s']],
  [15_000, ['0', '2 s', '4 s', '6 s', '8 s', '10 s', '12 s', '14 s']],
  [40, ['0', '0.005 s', '0.010 s', '0.015 s', '0.020 s', '0.025 s', '0.030 s', '0.035 s', '0.040 s']],
  [7_200_000, ['0', '20 min', '40 min', '1 h 00', '1 h 20', '1 h 40', '2 h 00']],
])('ticks over %i ms stand at round numbers', (span, expected) => {
  expect(ticksOf({ from: 1000, to: 1000 + span }, 1000).map(({ text }) => text)).toEqual(expected);
});

test('a zoom keeps the place that it is around, and never leaves the whole', () => {
  const whole = { from: 0, to: 1000 };
  expect(zoomed(whole, whole, 0.5, 0)).toEqual({ from: 0, to: 500 });
  expect(zoomed({ from: 400, to: 600 }, whole, 10)).toEqual(whole);
  expect(moved({ from: 800, to: 1000 }, whole, 0.5)).toEqual({ from: 800, to: 1000 });
  expect(moved({ from: 100, to: 200 }, whole, -0.5)).toEqual({ from: 50, to: 150 });
});

test('waits that lie close together do not write their lengths over each other', () => {
  const waits = [57, 62, 64, 70, 81].map((left) => ({
    left,
    width: 5,
    wait: { for: 'process', from: left, to: left + 5 } as const,
  }));
  expect(waitsWithRoom(waits).map(({ left }) => left)).toEqual([57, 70]);
});

test('a window stands in the address as milliseconds of the run, and what is no window is left out', () => {
  const whole = { from: 1000, to: 5000 };
  expect(zoomText({ from: 1200.4, to: 3000 }, 1000)).toBe('200-2000');
  expect(zoomIn('200-2000', 1000)).toEqual({ from: 1200, to: 3000 });
  expect(within(zoomIn('3900-9000', 1000)!, whole)).toEqual(whole);
  for (const text of [undefined, '', 'a-b', '5-5', '9-3', '-1-4', '1-2-3', '1e3-1e4'])
    expect(zoomIn(text, 1000)).toBeUndefined();
});

test('the overview counts calls in flight, and sums up what was spent when they ended', () => {
  const line = (startedAt: number, ms: number, usd?: number) =>
    ({ startedAt, ms, ...(usd !== undefined && { usd }) }) as Parameters<typeof overviewOf>[0][number];
  const { calls, most, money } = overviewOf([line(0, 10, 1), line(5, 10, 2), line(15, 5)], [18]);
  expect(calls).toEqual([
    [0, 1],
    [5, 2],
    [10, 1],
    [15, 0],
    [15, 1],
    [18, 2],
    [20, 1],
  ]);
  expect(most).toBe(2);
  expect(money).toEqual([
    [10, 1],
    [15, 3],
  ]);
});

test('a run that ends as another begins makes room first in the count of runs at once', () => {
  expect(atOnce([{ startedAt: 0, endedAt: 5 }, { startedAt: 5 }], 9)).toEqual([
    [0, 1],
    [5, 0],
    [5, 1],
    [9, 0],
  ]);
});

test('a budget is in the picture if it was spent, or nearly', () => {
  expect([topOf(2, undefined), topOf(2, 3), topOf(2, 1), topOf(2, 100), topOf(0, 1)]).toEqual([2, 3, 2, 2, 0]);
});
