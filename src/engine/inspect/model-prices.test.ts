import { expect, test } from 'vitest';
import { cadreFromTexts } from '../../definition/load.ts';
import { modelPrices } from './model-prices.ts';

test('each model that agents or aliases name has its price, and one that is priced in two ways has none', async () => {
  const config = `providers: {demo: {kind: scripted, script: ./demo.yaml}}
models:
  fast: {use: demo/small, price: {input: 1, output: 2, cacheRead: 0.1}}
  odd: {use: demo/odd, price: {input: 1, output: 2}}
  even: {use: demo/odd, price: {input: 3, output: 4}}
  free: {use: demo/free}
`;
  const texts = new Map([
    ['cadre.yaml', config],
    ['a.md', '---\nmodels: [free, openai/gpt-4o]\n---\nx'],
  ]);
  expect(await modelPrices(cadreFromTexts('/c', texts))).toEqual({
    'demo/small': { input: 1, output: 2, cacheRead: 0.1 },
    'openai/gpt-4o': { input: 2.5, output: 10, cacheRead: 1.25 },
  });
});
