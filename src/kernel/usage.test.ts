import { expect, test } from 'vitest';
import { fault } from './fault.ts';
import { countedIn, countOf, saneUsage, saneUsd } from './usage.ts';

test('a report counts only if every amount in it is a finite number of 0 or more', () => {
  const good = { input: 0, output: 12, cacheRead: 3 };
  expect(saneUsage(good)).toBe(good);
  for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY, '3', null]) {
    expect(saneUsage({ input: wrong as number, output: 1 })).toBeUndefined();
    expect(saneUsage({ input: 1, output: wrong as number })).toBeUndefined();
    expect(saneUsage({ input: 1, output: 1, cacheRead: wrong as number })).toBeUndefined();
    expect(saneUsd(wrong as number)).toBeUndefined();
  }
  expect(saneUsage(undefined)).toBeUndefined();
  expect([saneUsd(0), saneUsd(0.5), saneUsd(undefined)]).toEqual([0, 0.5, undefined]);
});

test('the budget counts what was reported, unless it has a count of its own', () => {
  expect(countOf({ usage: { input: 100, output: 20 }, usd: 0.5 })).toEqual({ tokens: 120, usd: 0.5 });
  expect(countOf({ usage: { input: 100, output: 20 } })).toEqual({ tokens: 120 });
  expect(countOf({ usage: { input: -100, output: 20 }, usd: -1 })).toEqual({ tokens: 0 });
  expect(countOf({})).toEqual({ tokens: 0 });
  const counted = { tokens: 7, usd: 0 };
  expect(countOf({ counted, usage: { input: 100, output: 20 }, usd: 0.5 })).toBe(counted);
});

test('the count of an attempt that was cut short is read from its fault', () => {
  const counted = { tokens: 7 };
  expect(countedIn({ ...fault('model/server', '503'), details: { counted } })).toEqual({ counted });
  expect(countedIn(fault('model/server', '503'))).toEqual({});
});
