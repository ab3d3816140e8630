import { describe, expect, test } from 'vitest';
import { constantFits, fit, type JsonSchema } from './fit.ts';

const kindOf = (upstream: JsonSchema, downstream: JsonSchema) => fit(upstream, downstream).kind;
const object = (properties: Record<string, JsonSchema>, required: readonly string[] = [], more: object = {}) => ({
  type: 'object',
  properties,
  required,
  ...more,
});
const closed = { additionalProperties: false };
const text = { type: 'string' };
const tooLarge = { kind: 'may-not-fit', doubts: [{ path: '$', message: 'the schemas are too large to compare' }] };

describe('references and recursion', () => {
  const list = (value: JsonSchema) =>
    object({ value, next: { anyOf: [{ type: 'null' }, { $ref: '#' }] } }, ['value', 'next']);

  test('a recursive list fits one of wider values', () => {
    expect(fit(list({ type: 'integer' }), list({ type: 'number' }))).toEqual({ kind: 'fits' });
  });

  test('a doubt deep in a recursive list is found', () => {
    expect(kindOf(list({ type: 'number' }), list({ type: 'integer' }))).toBe('may-not-fit');
  });

  test('a schema that only refers to itself proves nothing', () => {
    expect(kindOf(text, { $ref: '#' })).toBe('may-not-fit');
    expect(kindOf(text, { anyOf: [{ $ref: '#' }] })).toBe('may-not-fit');
    expect(kindOf({ $ref: '#' }, text)).toBe('may-not-fit');
    expect(constantFits('x', { $ref: '#' }).kind).toBe('may-not-fit');
  });

  test('what was proven under an assumption that failed is not believed later', () => {
    const schema = (number: string, rest: object) => ({
      ...rest,
      $defs: {
        a: object({ next: { $ref: '#/$defs/b' }, size: { type: number } }),
        b: object({ next: { $ref: '#/$defs/a' } }),
      },
    });
    const [x, y] = [{ x: { $ref: '#/$defs/a' } }, { y: { $ref: '#/$defs/b' } }];
    const upstream = schema('number', object({ ...x, ...y }));
    const downstream = schema('integer', { anyOf: [{ properties: x }, { properties: y }] });
    expect(kindOf(upstream, downstream)).toBe('may-not-fit');
  });

  test('a reference below an $id points into that document', () => {
    const downstream = {
      $defs: { t: { type: 'null' } },
      allOf: [{ $id: 'https://example.com/inner', $ref: '#/$defs/t', $defs: { t: text } }],
    };
    expect(kindOf(text, downstream)).toBe('fits');
  });

  test('a schema fits itself whatever it refers to', () => {
    const schema = {
      type: 'array',
      items: { $ref: 'other.json' },
      contains: { $dynamicRef: '#x' },
      unevaluatedItems: false,
    };
    expect(fit(schema, structuredClone(schema))).toEqual({ kind: 'fits' });
  });
});

describe('hostile schemas', () => {
  const hostile = (text: string): JsonSchema => JSON.parse(text) as JsonSchema;

  test('__proto__ is a property like any other', () => {
    const upstream = hostile('{"type":"object","properties":{"__proto__":{"type":"string"}},"required":["__proto__"]}');
    expect(fit(upstream, upstream)).toEqual({ kind: 'fits' });
    expect(fit(upstream, hostile('{"properties":{"__proto__":{"type":"null"}}}'))).toEqual({
      kind: 'never-fits',
      reasons: [{ path: '$.__proto__', message: 'upstream gives string, downstream wants null' }],
    });
    expect(kindOf(object({}), upstream)).toBe('may-not-fit');
    expect(constantFits(hostile('{"__proto__":"x"}'), upstream).kind).toBe('fits');
    expect(constantFits({}, upstream).kind).toBe('never-fits');
    expect(Object.prototype).not.toHaveProperty('type');
  });

  test('inherited names are neither keywords nor properties', () => {
    expect(kindOf(object({}, [], closed), object({ toString: text }, ['toString']))).toBe('never-fits');
    expect(kindOf(text, { $ref: '#/constructor' })).toBe('may-not-fit');
    expect(fit({ type: 'object', ...closed }, object({ valueOf: text }))).toEqual({ kind: 'fits' });
  });

  test('a schema too large or too deep to compare may not fit, and says so', () => {
    const wide = { anyOf: Array.from({ length: 30_000 }, (_, index) => ({ const: index })) };
    const deep = Array.from({ length: 5_000 }).reduce<JsonSchema>((inner) => ({ not: inner }), true);
    const cyclic: Record<string, unknown> = {};
    cyclic['items'] = cyclic;
    for (const schema of [wide, deep, cyclic]) {
      expect(fit(schema, text)).toEqual(tooLarge);
      expect(fit(text, schema)).toEqual(tooLarge);
    }
  });

  test('a product of many alternatives ends soon, without a false answer', () => {
    const product = (names: readonly string[]) => ({
      allOf: names.map((name) => ({
        anyOf: ['a', 'b', 'c', 'd'].map((value) => object({ [name]: { const: value } }, [name])),
      })),
    });
    const names = Array.from({ length: 12 }, (_, index) => `p${index}`);
    const began = performance.now();
    expect(kindOf(product(names), product([...names].reverse().concat('q')))).toBe('may-not-fit');
    expect(performance.now() - began).toBeLessThan(20_000);
  });

  test('a comparison that runs out says so beside what it found', () => {
    const nested = (leaf: JsonSchema): JsonSchema =>
      Array.from({ length: 10 }).reduce<JsonSchema>(
        (inner) => ({ anyOf: [{ type: 'array', items: inner }, { type: 'null' }, object({ a: inner })] }),
        leaf,
      );
    const outcome = fit(nested({ type: 'integer' }), nested({ type: 'number' }));
    expect(outcome).toMatchObject({ kind: 'may-not-fit', doubts: expect.arrayContaining(tooLarge.doubts) });
  });

  test('a pattern that would go back for ever is matched in one pass, and given up where that is too long', () => {
    const schema = { type: 'string', pattern: '^(a+)+$' };
    expect(constantFits(`${'a'.repeat(40)}!`, schema).kind).toBe('never-fits');
    expect(constantFits('a'.repeat(90_000), { pattern: '(.*a){40}b' }).kind).toBe('may-not-fit');
    expect(constantFits('aaa', schema)).toEqual({ kind: 'fits' });
    expect(
      kindOf(object({ [`${'a'.repeat(40)}!`]: text }), { patternProperties: { '^(a+)+$': { type: 'null' } } }),
    ).toBe('may-not-fit');
  });

  test('a later change of the schema is seen', () => {
    const schema: Record<string, unknown> = { type: 'string' };
    expect(kindOf(schema, text)).toBe('fits');
    schema['type'] = 'null';
    expect(kindOf(schema, text)).toBe('never-fits');
  });
});

describe('a fixed value', () => {
  test('fits, or is told what is wanted', () => {
    expect(constantFits('late delivery', { type: 'string', maxLength: 20 })).toEqual({ kind: 'fits' });
    expect(constantFits('late', { enum: ['refund', 'exchange'] })).toEqual({
      kind: 'never-fits',
      reasons: [{ path: '$', message: 'upstream gives "late", downstream wants one of "refund", "exchange"' }],
    });
    expect(constantFits('😀😀', { minLength: 3 }).kind).toBe('never-fits');
  });

  test('is counted against contains', () => {
    const schema = { contains: { type: 'integer' }, minContains: 1, maxContains: 2 };
    expect([[], [1], [1, 2, 'x'], [1, 2, 3]].map((value) => constantFits(value, schema).kind)).toEqual([
      'never-fits',
      'fits',
      'fits',
      'never-fits',
    ]);
  });

  test('names the path inside the value', () => {
    expect(constantFits({ a: [1, 'x'] }, { properties: { a: { items: { type: 'integer' } } } })).toEqual({
      kind: 'never-fits',
      reasons: [{ path: '$.a[1]', message: 'upstream gives "x", downstream wants integer' }],
    });
  });

  test('may not fit where a format or a reference cannot be checked', () => {
    expect(constantFits('x', { format: 'email' }).kind).toBe('may-not-fit');
    expect(constantFits('x', { $ref: 'other.json' }).kind).toBe('may-not-fit');
    expect(constantFits(undefined, text).kind).toBe('may-not-fit');
  });

  test('follows references into the document that the schema is part of', () => {
    const document = { properties: { reason: { $ref: '#/$defs/reason' } }, $defs: { reason: { enum: ['a'] } } };
    expect(constantFits('a', document.properties.reason, document)).toEqual({ kind: 'fits' });
    expect(constantFits('b', document.properties.reason, document).kind).toBe('never-fits');
    expect(constantFits('b', document.properties.reason).kind).toBe('may-not-fit');
  });
});
