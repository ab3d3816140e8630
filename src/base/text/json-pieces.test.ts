import fc from 'fast-check';
import { expect, test } from 'vitest';
import { jsonPieces } from './json-pieces.ts';

test('the pieces of any value are its JSON text', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), (value) => {
      expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value));
    }),
  );
});

test('an undefined value is left out of an object, and null in a list', () => {
  const value = { a: undefined, b: [undefined, { c: undefined }, []], d: {}, e: null };
  expect([...jsonPieces(value)].join('')).toBe(JSON.stringify(value));
});

test('a long value comes in short pieces', () => {
  const lines = Array.from({ length: 1000 }, (_, index) => ({ index, own: { calls: 1 } }));
  expect(Math.max(...[...jsonPieces({ lines })].map(({ length }) => length))).toBeLessThan(2100);
});

test('a value of any depth is written', () => {
  let value: unknown = 1;
  for (let depth = 0; depth < 20_000; depth++) value = [value];
  expect([...jsonPieces(value)].join('')).toHaveLength(40_001);
});
