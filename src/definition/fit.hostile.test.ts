import { describe, expect, test } from 'vitest';
import type { JsonSchema } from '../kernel/schema.ts';
import { constantFits, fit } from './fit.ts';

const kindOf = (upstream: JsonSchema, downstream: JsonSchema) => fit(upstream, downstream).kind;
const object = (properties: Record<string, JsonSchema>, required: readonly string[] = [], more: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const closed = { additionalProperties: false };
const text = { type: 'string' };

describe('references and recursion', () => {
  const list = (value: JsonSchema) =>
    object({ value, next: { anyOf: [{ type: 'null' }, { $ref: '#' }] } }, ['value', 'next']);

  test('a recursive list fits one of wider values', () => {
    expect(fit(list({ type: 'integer' }), list({ type: 'number' }))).toEqual({ kind: 'no-finding' });
  });

  test('a doubt deep in a recursive list is found', () => {
    expect(kindOf(list({ type: 'number' }), list({ type: 'integer' }))).toBe('may-not-fit');
  });

  test('a schema that only refers to itself proves nothing', () => {
    expect(kindOf(text, { $ref: '#' })).toBe('no-finding');
    expect(kindOf(text, { anyOf: [{ $ref: '#' }] })).toBe('no-finding');
    expect(kindOf({ $ref: '#' }, text)).toBe('no-finding');
    expect(constantFits('x', { $ref: '#' }).kind).toBe('no-finding');
  });

  test('a doubt in a recursive schema is told for the schema and for its alternative, and then no more', () => {
    const outcome = fit(list({ type: 'number' }), list({ type: 'integer' }));
    const message = 'upstream may give number, downstream wants integer';
    expect(outcome).toEqual({
      kind: 'may-not-fit',
      doubts: [
        { path: '$.value', message },
        { path: '$.next.value', message },
      ],
    });
  });

  test('a reference below an $id points into that document', () => {
    const downstream = {
      $defs: { t: { type: 'null' } },
      allOf: [{ $id: 'https://example.com/inner', $ref: '#/$defs/t', $defs: { t: text } }],
    };
    expect(kindOf(text, downstream)).toBe('no-finding');
  });

  test('a schema fits itself whatever it refers to', () => {
    const schema = {
      type: 'array',
      items: { $ref: 'other.json' },
      contains: { $dynamicRef: '#x' },
      unevaluatedItems: false,
    };
    expect(fit(schema, structuredClone(schema))).toEqual({ kind: 'no-finding' });
  });
});

describe('hostile schemas', () => {
  const hostile = (text: string): JsonSchema => JSON.parse(text) as JsonSchema;

  test('__proto__ is a property like any other', () => {
    const upstream = hostile('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}');
    expect(fit(upstream, upstream)).toEqual({ kind: 'no-finding' });
    expect(fit(upstream, hostile('{"properties":{"__proto__":{"type":"null"}}}'))).toEqual({
      kind: 'never-fits',
      reasons: [{ path: '$.__proto__', message: 'upstream gives string, downstream wants null' }],
    });
    expect(kindOf(object({}), upstream)).toBe('may-not-fit');
    expect(constantFits(hostile('{"__proto__":"x"}'), upstream).kind).toBe('no-finding');
    expect(constantFits({}, upstream).kind).toBe('never-fits');
    expect(Object.prototype).not.toHaveProperty('type');
  });

  test('inherited names are neither keywords nor properties', () => {
    expect(kindOf(object({}, [], closed), object({ toString: text }, ['toString']))).toBe('never-fits');
    expect(kindOf(text, { $ref: '#/constructor' })).toBe('no-finding');
    expect(fit({ type: 'object', ...closed }, object({ valueOf: text }))).toEqual({ kind: 'no-finding' });
  });

  test('a schema too large or too deep to compare leads to no finding', () => {
    const wide = { anyOf: Array.from({ length: 30_000 }, (_, index) => ({ const: index })) };
    const deep = Array.from({ length: 5_000 }).reduce<JsonSchema>((inner) => ({ not: inner }), true);
    const cyclic: Record<string, unknown> = {};
    cyclic['items'] = cyclic;
    for (const schema of [wide, deep, cyclic]) {
      expect(fit(schema, text)).toEqual({ kind: 'no-finding' });
      expect(fit(text, schema)).toEqual({ kind: 'no-finding' });
    }
  });

  test('a product of many alternatives ends soon, without a false answer', () => {
    const product = (names: readonly string[]) => ({
      allOf: names.map((name) => ({
        anyOf: ['a', 'b', 'c', 'd'].map((value) => object({ [name]: { const: value } }, [name])),
      })),
    });
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    expect(kindOf(product(names), product([...names].reverse().concat('q')))).toBe('no-finding');
  });

  test('nested alternatives end soon, and what was found on the way holds', () => {
    const nested = (leaf: JsonSchema): JsonSchema =>
      Array.from({ length: 10 }).reduce<JsonSchema>(
        (inner) => ({ anyOf: [{ type: 'array', items: inner }, { type: 'null' }, object({ a: inner })] }),
        leaf,
      );
    expect(kindOf(nested({ type: 'integer' }), nested({ type: 'number' }))).toBe('no-finding');
    expect(kindOf(nested({ type: 'number' }), nested({ type: 'integer' }))).toBe('may-not-fit');
  });

  test('thousands of references, alternatives, members and listed values end soon, without a false answer', () => {
    const many = Array.from({ length: 4_000 }, (_, index) => index);
    const referring = {
      $ref: '#/$defs/0',
      $defs: Object.fromEntries(many.map((index) => [index, { $ref: `#/$defs/${(index + 1) % many.length}` }])),
    };
    const schemas: readonly JsonSchema[] = [
      referring,
      { anyOf: many.map((index) => object({ [`p${index % 7}`]: { const: index } }, [`p${index % 7}`])) },
      { allOf: many.map((index) => ({ properties: { p: { maxLength: index + 1 } } })) },
      { allOf: many.map(() => ({ anyOf: [text, { type: 'null' }] })) },
      { enum: many },
      object({}, many.map(String)),
      { type: 'array', minItems: 1, items: { anyOf: many.map((index) => ({ type: 'array', minItems: index })) } },
    ];
    for (const schema of schemas) {
      expect(kindOf(schema, structuredClone(schema))).toBe('no-finding');
      for (const other of schemas) expect(() => fit(schema, other)).not.toThrow();
    }
  });

  test('references that branch at every step end soon', () => {
    const branching = object({ a: { $ref: '#' }, b: { $ref: '#' }, c: { allOf: [{ $ref: '#' }, { $ref: '#' }] } }, [
      'c',
    ]);
    expect(kindOf(branching, structuredClone(branching))).toBe('no-finding');
  });

  test('a later change of the schema is seen', () => {
    const schema: Record<string, unknown> = { type: 'string' };
    expect(kindOf(schema, text)).toBe('no-finding');
    schema['type'] = 'null';
    expect(kindOf(schema, text)).toBe('never-fits');
  });
});

describe('a fixed value', () => {
  test('fits, or is told what is wanted', () => {
    expect(constantFits('late delivery', { type: 'string', maxLength: 20 })).toEqual({ kind: 'no-finding' });
    expect(constantFits('late', { enum: ['refund', 'exchange'] })).toEqual({
      kind: 'never-fits',
      reasons: [{ path: '$', message: 'upstream gives "late", downstream wants one of "refund", "exchange"' }],
    });
    expect(constantFits('😀😀', { minLength: 3 }).kind).toBe('never-fits');
  });

  test('names the path inside the value', () => {
    expect(constantFits({ a: [1, 'x'] }, { properties: { a: { items: { type: 'integer' } } } })).toEqual({
      kind: 'never-fits',
      reasons: [{ path: '$.a[1]', message: 'upstream gives "x", downstream wants integer' }],
    });
  });

  test('leads to no finding where a pattern, a format or a reference would have to be checked', () => {
    expect(constantFits('x', { pattern: '^(a+)+$' }).kind).toBe('no-finding');
    expect(constantFits('x', { format: 'email' }).kind).toBe('no-finding');
    expect(constantFits('x', { $ref: 'other.json' }).kind).toBe('no-finding');
    expect(constantFits(undefined, text).kind).toBe('no-finding');
  });

  test('follows references into the document that the schema is part of', () => {
    const document = { properties: { reason: { $ref: '#/$defs/reason' } }, $defs: { reason: { enum: ['a'] } } };
    expect(constantFits('a', document.properties.reason, document)).toEqual({ kind: 'no-finding' });
    expect(constantFits('b', document.properties.reason, document).kind).toBe('never-fits');
    expect(constantFits('b', document.properties.reason).kind).toBe('no-finding');
  });
});
