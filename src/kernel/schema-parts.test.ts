import { expect, test } from 'vitest';
import { extensible, schemaWithin } from './schema-parts.ts';

test('a reference of a schema into itself is found where the schema stands in another one', () => {
  const schema = {
    $defs: { item: { type: 'object', properties: { $ref: { type: 'string' }, inner: { $ref: '#' } } } },
    type: 'array',
    items: { $ref: '#/$defs/item' },
    contains: { anyOf: [{ $ref: '#/$defs/item' }, { $ref: '#name' }, { $ref: 'https://example.com/a#/b' }] },
    default: [{ $ref: '#/$defs/item' }],
  };
  expect(schemaWithin('#/properties/input', schema)).toEqual({
    $defs: {
      item: { type: 'object', properties: { $ref: { type: 'string' }, inner: { $ref: '#/properties/input' } } },
    },
    type: 'array',
    items: { $ref: '#/properties/input/$defs/item' },
    contains: {
      anyOf: [{ $ref: '#/properties/input/$defs/item' }, { $ref: '#name' }, { $ref: 'https://example.com/a#/b' }],
    },
    default: [{ $ref: '#/$defs/item' }],
  });
  expect(schemaWithin('#/properties/input', true)).toBe(true);
});

test('a schema with an id keeps its references', () => {
  const schema = { $id: 'https://example.com/tree', items: { $ref: '#' } };
  expect(schemaWithin('#/properties/input', schema)).toEqual(schema);
});

test('a tree that gets a further property asks for it at its root alone', () => {
  const whole = { type: 'object', properties: { children: { items: { $ref: '#' } }, one: { $ref: '#/$defs/whole' } } };
  const tree = extensible({ ...whole, $defs: { whole: { type: 'string' } } });
  const moved = {
    type: 'object',
    properties: { children: { items: { $ref: '#/$defs/whole_' } }, one: { $ref: '#/$defs/whole' } },
  };
  expect(tree).toEqual({ ...moved, $defs: { whole: { type: 'string' }, whole_: moved } });
  const plain = { type: 'object', properties: {} };
  expect(extensible(plain)).toBe(plain);
});
