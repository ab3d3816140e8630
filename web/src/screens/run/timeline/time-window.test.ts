import { expect, test } from 'vitest';
import { share, skippedIn, type TimeWindow, timeAt, workedIn } from './time-window.ts';

const plain: TimeWindow = { from: 1000, to: 2000 };
/** Ten seconds of work around a wait of an hour. */
const skipping: TimeWindow = { from: 0, to: 3_610_000, skips: [{ for: 'person', from: 5000, to: 3_605_000 }] };

test('without waits a place is as far as its time', () => {
  expect(share(1250, plain)).toBe(25);
  expect(share(0, plain)).toBe(-100);
  expect(timeAt(25, plain)).toBe(1250);
});

test('a skipped wait takes a twentieth of the width, and the work the rest in proportion', () => {
  expect(skippedIn(skipping)).toMatchObject([{ left: 47.5, width: 5 }]);
  expect(share(2500, skipping)).toBeCloseTo(23.75);
  expect(share(5000, skipping)).toBeCloseTo(47.5);
  expect(share(3_605_000, skipping)).toBeCloseTo(52.5);
  expect(share(3_610_000, skipping)).toBe(100);
  expect(workedIn(skipping)).toMatchObject([
    { from: 0, to: 5000 },
    { from: 3_605_000, to: 3_610_000 },
  ]);
});

test('every place has one time, and every time its place', () => {
  for (let percent = 0; percent <= 100; percent += 2.5)
    expect(share(timeAt(percent, skipping), skipping)).toBeCloseTo(percent);
});

test('very many waits leave half of the width to the work', () => {
  const skips = Array.from({ length: 40 }, (_, index) => {
    const from = index * 10_000 + 1000;
    return { for: 'person', from, to: from + 9000 } as const;
  });
  const many = { from: 0, to: 400_000, skips };
  expect(skippedIn(many).reduce((sum, { width }) => sum + width, 0)).toBeCloseTo(50);
});

test('a wait outside of what is seen takes nothing of it', () => {
  expect(skippedIn({ ...skipping, from: 0, to: 4000 })).toEqual([]);
});
