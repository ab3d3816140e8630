import { expect, test } from 'vitest';
import type { Usage } from '../kernel/usage.ts';
import { costAt, listedModel, listedPrice, type PriceListing } from './pricing.ts';

async function listedCost(listing: PriceListing, usage: Usage): Promise<number | undefined> {
  return (await listedModel(listing))?.costOf(usage);
}

test('cached tokens have a price of their own, and are not paid twice', () => {
  const usage = { input: 1_000_000, output: 0, cacheRead: 600_000, cacheWrite: 100_000 };
  expect(costAt({ input: 10, output: 0, cacheRead: 1, cacheWrite: 20 }, usage)).toBeCloseTo(3 + 0.6 + 2);
  expect(costAt({ input: 10, output: 0 }, usage)).toBeCloseTo(10);
});

test('reasoning is part of the output and costs what output costs', () => {
  expect(costAt({ input: 0, output: 10 }, { input: 0, output: 500_000, reasoning: 400_000 })).toBeCloseTo(5);
});

test('listed models cost what the table says, caching included', async () => {
  const at = { provider: 'openai' };
  const plain = await listedCost({ model: 'gpt-4o', at }, { input: 1_000_000, output: 1_000_000 });
  const cached = await listedCost(
    { model: 'gpt-4o', at },
    { input: 1_000_000, output: 1_000_000, cacheRead: 1_000_000 },
  );
  const reasoned = await listedCost(
    { model: 'gpt-4o', at },
    { input: 1_000_000, output: 1_000_000, reasoning: 900_000 },
  );
  expect(plain).toBeCloseTo(12.5);
  expect(cached).toBeCloseTo(11.25);
  expect(reasoned).toBe(plain);
});

test('a listed model has a price for a million tokens, and one for cached ones where they cost less', async () => {
  expect(await listedPrice({ model: 'gpt-4o', at: { provider: 'openai' } })).toEqual({
    input: 2.5,
    output: 10,
    cacheRead: 1.25,
  });
});

test('a cache count beyond the input does not make the price fail', async () => {
  const usage = { input: 10, output: 1, cacheRead: 50, cacheWrite: 50 };
  expect(await listedCost({ model: 'claude-sonnet-4-5', at: { provider: 'anthropic' } }, usage)).toBeGreaterThan(0);
});

test.each([
  [{ model: 'no-such-model', at: { provider: 'openai' } }],
  [{ model: 'gpt-4o', at: { provider: 'no-such-provider' } }],
  [{ model: 'gpt-4o', at: { url: 'http://127.0.0.1:8080/v1' } }],
])('%j has no known price, which is not 0', async (listing) => {
  expect(await listedModel(listing)).toBeUndefined();
  expect(await listedPrice(listing)).toBeUndefined();
});
