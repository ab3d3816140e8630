import { expect, test } from 'vitest';
import { contractViolations, isObjectSchema, listViolations, type SchemaCheck } from './schema.ts';

const violation = { path: '$', message: 'is wrong' };
/** Schemas are numbers here: a value fits those that it is at least as large as. */
const check = ((schema: unknown, value: unknown) =>
  schema === true || Number(value) >= Number(schema) ? [] : [violation]) as unknown as SchemaCheck;

test('a value that satisfies a condition is held to its schema too, and another one is not', () => {
  const contract = { format: 'json', schema: 1, also: [{ when: 3, schema: 5 }] } as unknown as Parameters<
    typeof contractViolations
  >[0];
  expect([0, 2, 3, 5].map((value) => contractViolations(contract, value, check).length)).toEqual([1, 0, 1, 0]);
  expect(contractViolations({ format: 'json' } as typeof contract, 0, check)).toEqual([]);
});

test('a schema of an object says so, or has properties and no other type', () => {
  expect(isObjectSchema({ type: 'object' })).toBe(true);
  expect(isObjectSchema({ properties: {} })).toBe(true);
  for (const other of [undefined, true, {}, { type: 'array', properties: {} }, { type: ['object', 'null'] }])
    expect([other, isObjectSchema(other as never)]).toEqual([other, false]);
});

test('violations are a list with their places', () => {
  expect(listViolations([violation, { path: '$.a', message: 'is missing' }])).toBe('- $ is wrong\n- $.a is missing');
});
