import { expect, test } from 'vitest';
import { fieldsOf, schemaWords } from './schema-fields.ts';

test('a schema becomes fields with words for what is right', () => {
  const fields = fieldsOf({
    type: 'object',
    properties: {
      order: { type: 'string', pattern: '^[0-9]+$' },
      amount: { type: 'number', exclusiveMinimum: 0, description: 'In euros.' },
      currency: { enum: ['EUR', 'GBP'], default: 'EUR' },
      tags: { type: 'array', items: { type: 'string' } },
      to: { type: 'object', properties: { city: { type: 'string', maxLength: 20 } } },
      odd: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    },
    required: ['order'],
  });
  expect(fields?.map(({ name, what, says, required }) => [name, what.kind, says, required])).toEqual([
    ['order', 'text', 'text, like ^[0-9]+$', true],
    ['amount', 'number', 'number, more than 0', false],
    ['currency', 'choice', '', false],
    ['tags', 'list', 'one a line', false],
    ['to', 'object', '', false],
    ['odd', 'json', 'JSON', false],
  ]);
});

test('a schema that no form can be made of is written as JSON', () => {
  expect(fieldsOf(undefined)).toBeUndefined();
  expect(fieldsOf(true)).toBeUndefined();
  expect(fieldsOf({ type: 'object', properties: {}, oneOf: [] })).toBeUndefined();
});

test('each field of a schema is said in words, also those of an object in it', () => {
  const words = schemaWords({
    type: 'object',
    properties: {
      kind: { const: 'refund' },
      currency: { enum: ['EUR', 'GBP'] },
      why: { type: 'string', minLength: 10 },
      to: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
    },
    required: ['kind', 'currency', 'to'],
  });
  expect([...(words ?? [])]).toEqual([
    ['kind', 'refund'],
    ['currency', 'EUR, GBP'],
    ['why', 'text, at least 10 characters, optional'],
    ['to', 'object'],
    ['to.city', 'text'],
  ]);
  expect(schemaWords({ type: 'array' })).toBeUndefined();
});
