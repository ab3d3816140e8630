import { expect, test } from 'vitest';
import { sameShareChance, shareRange } from './share.ts';

test('the chance is that of a table whose value is known', () => {
  // Fisher's lady with the tea, and two more, each computed with whole fractions.
  expect(sameShareChance({ passed: 3, of: 4 }, { passed: 1, of: 4 })).toBeCloseTo(0.4857, 4);
  expect(sameShareChance({ passed: 18, of: 20 }, { passed: 6, of: 20 })).toBeCloseTo(0.000244, 6);
  expect(sameShareChance({ passed: 1, of: 10 }, { passed: 11, of: 14 })).toBeCloseTo(0.002759, 5);
  expect(sameShareChance({ passed: 5, of: 5 }, { passed: 5, of: 5 })).toBe(1);
  expect(sameShareChance({ passed: 0, of: 0 }, { passed: 5, of: 5 })).toBe(1);
});

test('the range of a share is never a point, also where all or none passed', () => {
  const rounded = (passed: number, of: number) => shareRange({ passed, of }).map((end) => Math.round(end * 100));
  expect(rounded(0, 20)).toEqual([0, 16]);
  expect(rounded(20, 20)).toEqual([84, 100]);
  expect(rounded(15, 20)).toEqual([53, 89]);
  expect(rounded(0, 0)).toEqual([0, 100]);
});

test('two candidates that are equal are told apart in less than 5 % of 1,000 comparisons', () => {
  let seed = 20261119;
  const lot = (): number => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  for (const truth of [0.5, 0.8, 0.95]) {
    let wrong = 0;
    for (let round = 0; round < 1000; round++) {
      const tries = () => ({ passed: Array.from({ length: 20 }, lot).filter((drawn) => drawn < truth).length, of: 20 });
      if (sameShareChance(tries(), tries()) < 0.05) wrong++;
    }
    expect(wrong).toBeLessThan(50);
  }
});
