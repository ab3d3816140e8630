import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../kernel/schema.ts';
import type { Fit } from '../patterns/review.ts';
import { fit } from './fit.ts';

const notesOf = (outcome: Fit) =>
  outcome.kind === 'no-finding' ? [] : outcome.kind === 'never-fits' ? outcome.reasons : outcome.doubts;
const kindOf = (upstream: JsonSchema, downstream: JsonSchema) => fit(upstream, downstream).kind;
const noteAt = (upstream: JsonSchema, downstream: JsonSchema) => {
  const outcome = fit(upstream, downstream);
  const [first] = notesOf(outcome);
  return `${outcome.kind} ${first?.path ?? ''} ${first?.message ?? ''}`.trim();
};
const object = (properties: Record<string, JsonSchema>, required: readonly string[] = [], more: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const closed = { additionalProperties: false };
const text = { type: 'string' };
const when = (...parts: readonly [JsonSchema, JsonSchema, JsonSchema]) =>
  Object.fromEntries(['if', 'then', 'else'].map((name, index) => [name, parts[index]]));
const draft07 = { $schema: 'http://json-schema.org/draft-07/schema#' };

describe('notes', () => {
  test('name the path through objects and arrays', () => {
    const order = (price: JsonSchema) =>
      object({ order: object({ items: { type: 'array', items: object({ price }, ['price']) } }, ['items']) }, [
        'order',
      ]);
    expect(fit(order({ type: 'number' }), order({ type: 'integer' }))).toEqual({
      kind: 'may-not-fit',
      doubts: [{ path: '$.order.items[*].price', message: 'upstream may give number, downstream wants integer' }],
    });
  });

  test.each<[string, JsonSchema, JsonSchema, string]>([
    [
      'a property left out',
      object({ amount: text }),
      object({ amount: text }, ['amount']),
      'may-not-fit $.amount upstream may leave out `amount`, which is required',
    ],
    ['a wider list of values', text, { enum: ['a', 'b'] }, 'may-not-fit $ upstream allows values other than "a", "b"'],
    [
      'one value too many',
      { enum: ['a', 'c'] },
      { enum: ['a', 'b'] },
      'may-not-fit $ upstream may give "c", downstream wants one of "a", "b"',
    ],
    ['different kinds', text, { type: 'integer' }, 'never-fits $ upstream gives string, downstream wants integer'],
    [
      'different values',
      { enum: ['a', 'b'] },
      { const: 'c' },
      'never-fits $ upstream gives "a", "b", downstream wants "c"',
    ],
    [
      'a property never given',
      object({}, [], closed),
      object({ a: text }, ['a']),
      'never-fits $.a downstream requires `a`, which upstream never gives',
    ],
    [
      'a property not allowed',
      object({ a: text }, ['a']),
      object({}, [], closed),
      'never-fits $.a upstream always gives `a`, which downstream does not allow',
    ],
    [
      'ranges apart',
      { type: 'number', maximum: 3 },
      { type: 'number', minimum: 4 },
      'never-fits $ upstream gives at most 3, downstream wants at least 4',
    ],
    [
      'lengths apart',
      { type: 'string', maxLength: 3 },
      { type: 'string', minLength: 4 },
      'never-fits $ upstream gives at most 3 characters, downstream wants at least 4 characters',
    ],
    [
      'a constant too short',
      { const: 'x' },
      { type: 'string', minLength: 4 },
      'never-fits $ upstream gives "x", downstream wants at least 4 characters',
    ],
    [
      'extra properties',
      object({ a: text }),
      object({ a: text }, [], closed),
      'may-not-fit $.* upstream may give properties that it does not declare, downstream allows no others',
    ],
    [
      'an odd property name',
      object({ 'a b': text }, ['a b']),
      object({ 'a b': { type: 'null' } }, ['a b']),
      'never-fits $["a b"] upstream gives string, downstream wants null',
    ],
    [
      'a shorter text',
      text,
      { type: 'string', minLength: 2 },
      'may-not-fit $ upstream may give an empty text, downstream wants at least 2 characters',
    ],
    ['no value upstream', false, text, 'never-fits $ upstream allows no value here'],
    ['no value downstream', text, false, 'never-fits $ downstream allows no value here'],
  ])('tell of %s', (_, upstream, downstream, expected) => {
    expect(noteAt(upstream, downstream)).toBe(expected);
  });
});

describe('schemas that fit lead to no finding', () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ['anything fits true', {}, true],
    ['anything fits a schema of annotations', {}, { title: 'x', 'x-own': { deep: true }, description: 'y' }],
    ['an integer is a number', { type: 'integer' }, { type: 'number' }],
    ['1.0 is an integer', { const: 1.0 }, { type: 'integer' }],
    ['a multiple of an integer is an integer', { type: 'number', multipleOf: 4 }, { type: 'integer', multipleOf: 2 }],
    ['more than 0 is at least 1 for integers', { type: 'integer', exclusiveMinimum: 0 }, { minimum: 1 }],
    ['a listed subset', { enum: [1, 'a'] }, { enum: ['a', 1, null] }],
    ['listed objects in another key order', { const: { a: 1, b: 2 } }, { enum: [{ b: 2, a: 1 }] }],
    ['a boolean is true or false', { type: 'boolean' }, { enum: [true, false] }],
    ['a short run of integers', { type: 'integer', minimum: 1, maximum: 3 }, { enum: [1, 2, 3] }],
    [
      'a type list into alternatives',
      { type: ['string', 'null'], minLength: 1 },
      { anyOf: [{ type: 'null' }, { type: 'string', minLength: 1 }] },
    ],
    [
      'alternatives, each into its own',
      { anyOf: [{ const: 'a' }, { type: 'null' }] },
      { oneOf: [{ type: 'null' }, text] },
    ],
    [
      'the same pattern and format',
      { type: 'string', pattern: '^a', format: 'date' },
      { pattern: '^a', format: 'date' },
    ],
    ['text keywords for a number', { type: 'number' }, { minLength: 3, pattern: 'x', required: ['a'] }],
    [
      'a closed object into one with optional properties',
      object({ a: text }, ['a'], closed),
      object({ a: text, b: { type: 'null' } }, ['a']),
    ],
    ['a property that cannot be given', object({ a: false }), object({ a: text, b: {} })],
    [
      'a declared property matched by a pattern',
      object({ id_1: text }, [], closed),
      { patternProperties: { '^id_': text }, additionalProperties: false },
    ],
    [
      'the same patterns, closed on both sides',
      { patternProperties: { '^a': { const: 1 } }, additionalProperties: false },
      {
        type: ['object', 'null', 'string', 'number', 'boolean', 'array'],
        patternProperties: { '^a': { type: 'integer' } },
        additionalProperties: false,
      },
    ],
    [
      'a tuple into a list',
      { type: 'array', prefixItems: [text, text], items: false },
      { type: 'array', items: text, maxItems: 2 },
    ],
    ['a required name that is enough properties', object({}, ['a', 'b']), { minProperties: 2 }],
    ['names that satisfy propertyNames', object({ ab: {}, cd: {} }, [], closed), { propertyNames: { maxLength: 2 } }],
    [
      'all items wanted by contains',
      { type: 'array', items: { const: 1 }, minItems: 1 },
      { contains: { type: 'integer' } },
    ],
    ['a dependency already required', object({ a: {} }, ['b']), { dependentRequired: { a: ['b'] } }],
    ['what not excludes elsewhere', text, { not: { type: 'null' } }],
    [
      'not a type, as the other types',
      { not: { type: ['object', 'array', 'number', 'boolean'] } },
      { type: ['null', 'string'] },
    ],
    [
      'a discriminated union into if/then/else',
      {
        oneOf: [
          object({ k: { const: 'a' }, v: text }, ['k', 'v']),
          object({ k: { const: 'b' }, v: { type: 'null' } }, ['k', 'v']),
        ],
      },
      when({ properties: { k: { const: 'a' } } }, { properties: { v: text } }, { properties: { v: { type: 'null' } } }),
    ],
    [
      'unevaluatedProperties that is plainly additionalProperties',
      object({ a: text }, [], { unevaluatedProperties: false }),
      object({ a: text }, [], closed),
    ],
    ['allOf on either side', { allOf: [text, { minLength: 2 }] }, { allOf: [{ minLength: 1 }, text] }],
    [
      'the draft-07 tuple',
      { ...draft07, type: 'array', items: [text], additionalItems: false },
      { type: 'array', maxItems: 1, items: text },
    ],
  ])('%s', (_, upstream, downstream) => {
    expect(fit(upstream, downstream)).toEqual({ kind: 'no-finding' });
  });
});

describe('schemas that may not fit, and are not refused', () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ['an optional property whose schemas conflict', object({ a: text }), object({ a: { type: 'null' } })],
    [
      'conflicting items, since an empty array has none',
      { type: 'array', items: text },
      { type: 'array', items: { type: 'null' } },
    ],
    ['ranges that touch', { type: 'number', maximum: 3 }, { type: 'number', minimum: 3 }],
    ['a number that may be an integer', { type: 'number' }, { type: 'integer' }],
    ['an undeclared property', object({}), object({ a: text })],
    ['a number of items', { type: 'array', minItems: 1, maxItems: 9 }, { type: 'array', minItems: 2, maxItems: 4 }],
  ])('%s', (_, upstream, downstream) => {
    expect(kindOf(upstream, downstream)).toBe('may-not-fit');
  });
});

describe('schemas that never fit', () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    ['a schema without any value', { allOf: [text, { type: 'null' }] }, true],
    ['an empty enum', { enum: [] }, true],
    [
      'a required property whose schemas conflict, required upstream',
      object({ a: text }, ['a']),
      object({ a: { type: 'null' } }),
    ],
    [
      'a required property whose schemas conflict, required downstream',
      object({ a: text }),
      object({ a: { type: 'null' } }, ['a']),
    ],
    [
      'conflicting items that must be there',
      { type: 'array', items: text, minItems: 1 },
      { type: 'array', items: { type: 'null' } },
    ],
    ['numbers of items apart', { type: 'array', maxItems: 1 }, { type: 'array', minItems: 2 }],
    ['open ranges that only touch', { type: 'number', exclusiveMaximum: 3 }, { type: 'number', minimum: 3 }],
    ['no integer between', { type: 'integer', exclusiveMinimum: 1 }, { type: 'integer', exclusiveMaximum: 2 }],
    [
      'every alternative against every alternative',
      { anyOf: [text, { type: 'null' }] },
      { oneOf: [{ type: 'integer' }, { type: 'array' }] },
    ],
    [
      'a conflict behind references',
      { $ref: '#/$defs/t', $defs: { t: text } },
      { $ref: '#/definitions/n~1m', definitions: { 'n/m': { type: 'null' } } },
    ],
  ])('%s', (_, upstream, downstream) => {
    expect(kindOf(upstream, downstream)).toBe('never-fits');
  });
});

describe('a keyword that is not read leads to no finding', () => {
  test.each<[string, JsonSchema, JsonSchema]>([
    [
      'conflicting tuple positions beyond the guaranteed length',
      { type: 'array', prefixItems: [text, text], minItems: 1 },
      { type: 'array', prefixItems: [text, { type: 'null' }] },
    ],
    ['a multiple at the edge of a range', { type: 'integer', minimum: 50, maximum: 99 }, { multipleOf: 50 }],
    ['different patterns', { type: 'string', pattern: '^a' }, { type: 'string', pattern: '^b' }],
    ['different formats', { type: 'string', format: 'date' }, { type: 'string', format: 'email' }],
    ['a constant of a certain format', { const: 'x' }, { type: 'string', format: 'email' }],
    [
      'a value that two oneOf alternatives accept',
      { type: 'integer' },
      { oneOf: [{ type: 'integer' }, { type: 'number' }] },
    ],
    ['a unique array', { type: 'array', items: text }, { type: 'array', uniqueItems: true }],
    ['a dependency', object({ a: {} }), { dependentRequired: { a: ['b'] } }],
    [
      'a draft-07 dependency, also where the draft makes it an annotation',
      object({ a: {} }),
      { dependencies: { a: ['b'] } },
    ],
    ['contains', { type: 'array' }, { contains: text }],
    ['contains, for an array that may be empty', { type: 'array', items: text }, { contains: text }],
    ['maxContains', { type: 'array', items: text, minItems: 1 }, { contains: text, maxContains: 2 }],
    [
      'what unevaluatedProperties leaves to an applicator',
      { type: 'object', allOf: [{ properties: { a: text } }], unevaluatedProperties: false },
      object({}, ['a']),
    ],
    [
      'what unevaluatedItems leaves to an applicator',
      { type: 'array', allOf: [{ prefixItems: [text] }], unevaluatedItems: false },
      { type: 'array', minItems: 1 },
    ],
    ['propertyNames', { type: 'object' }, { propertyNames: { maxLength: 3 } }],
    ['maxProperties', object({ a: {}, b: {} }, [], closed), { maxProperties: 1 }],
    [
      'unevaluatedProperties behind an applicator',
      object({ a: text }),
      { type: 'object', allOf: [{ properties: { a: text } }], unevaluatedProperties: false },
    ],
    [
      'the draft-04 exclusiveMinimum',
      { type: 'number', minimum: 3 },
      { type: 'number', minimum: 3, exclusiveMinimum: true },
    ],
    ['the draft-04 exclusiveMinimum at the edge', { type: 'number', minimum: 3, exclusiveMinimum: true }, { const: 3 }],
    ['OpenAPI nullable', { type: 'string', nullable: true }, { type: 'string' }],
    ['OpenAPI nullable, for null', { type: 'null' }, { type: 'string', nullable: true }],
    ['a reference to another document', text, { $ref: 'https://example.com/other.json' }],
    ['a reference to nothing', text, { $ref: '#/$defs/missing' }],
    ['a dynamic reference', text, { $dynamicRef: '#node' }],
    [
      'draft-07 keywords beside $ref, upstream',
      { ...draft07, allOf: [{ $ref: '#/definitions/t', maxLength: 1 }], definitions: { t: text } },
      { minLength: 2 },
    ],
    [
      'draft-07 keywords beside $ref, downstream',
      text,
      { ...draft07, allOf: [{ $ref: '#/definitions/t', maxLength: 1 }], definitions: { t: text } },
    ],
    ['a keyword of the wrong type', text, { type: 'string', minLength: 'two' }],
    ['multiples apart in binary', { type: 'number', multipleOf: 0.3 }, { type: 'number', multipleOf: 0.1 }],
    [
      'patterns that overlap with what additional properties hold',
      { patternProperties: { '^a': text }, additionalProperties: false },
      { additionalProperties: { type: 'null' } },
    ],
    [
      'conflicting tuple positions within the guaranteed length',
      { type: 'array', prefixItems: [text, text], minItems: 2 },
      { type: 'array', prefixItems: [text, { type: 'null' }] },
    ],
    [
      'conflicting draft-07 tuples',
      { ...draft07, type: 'array', items: [text], minItems: 1 },
      { ...draft07, items: [{ type: 'null' }] },
    ],
    ['no multiple between', { type: 'integer', minimum: 6, maximum: 9 }, { multipleOf: 5 }],
    ['what not excludes wholly', { type: 'integer' }, { not: { type: 'number' } }],
    ['what not excludes by range', { type: 'integer', minimum: 3 }, { not: { type: 'number', minimum: 0 } }],
    ['both outcomes of a condition', text, when({ minLength: 2 }, { type: 'null' }, { type: 'integer' })],
    ['more properties than there are names', object({ a: {} }, [], closed), { type: 'object', minProperties: 2 }],
    ['a required name of the wrong form', object({}, ['long']), { propertyNames: { maxLength: 2 } }],
    ['a recursive schema that only endless values satisfy', object({ next: { $ref: '#' } }, ['next']), true],
  ])('%s', (_, upstream, downstream) => {
    expect(kindOf(upstream, downstream)).toBe('no-finding');
  });
});
