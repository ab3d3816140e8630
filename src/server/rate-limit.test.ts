import { expect, test } from 'vitest';
import type { FaultError } from '../kernel/fault.ts';
import { type RateLimit, rateLimit } from './rate-limit.ts';

const MINUTE = 60_000;

/** The number of `count` requests that pass, and the pause that the last refusal names. */
function pass(limit: RateLimit, count: number, name = 'ci'): { passed: number; retryAfter?: unknown } {
  let passed = 0;
  let retryAfter: unknown;
  for (let index = 0; index < count; index++) {
    try {
      limit.take(name);
      passed++;
    } catch (thrown) {
      const { code, details } = (thrown as FaultError).fault;
      expect(code).toBe('request/rate');
      retryAfter = details?.['retryAfter'];
    }
  }
  return { passed, retryAfter };
}

test('a bucket refills evenly, as many requests a minute as it holds', () => {
  let now = 0;
  const limit = rateLimit(
    () => 60,
    () => now,
  );
  expect(pass(limit, 61)).toEqual({ passed: 60, retryAfter: 1 });
  now += MINUTE / 4;
  expect(pass(limit, 20).passed).toBe(15);
  now += 10 * MINUTE; // it holds no more than a minute's worth
  expect(pass(limit, 100).passed).toBe(60);
});

test('a refused request takes nothing, and says when the next one passes', () => {
  let now = 0;
  const limit = rateLimit(
    () => 5,
    () => now,
  );
  expect(pass(limit, 8)).toEqual({ passed: 5, retryAfter: 12 });
  now += 12_000;
  expect(pass(limit, 2).passed).toBe(1);
});

test('each caller has a bucket of its own', () => {
  const limit = rateLimit(
    () => 2,
    () => 0,
  );
  expect([pass(limit, 3).passed, pass(limit, 3, 'other').passed]).toEqual([2, 2]);
});
