import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonSchema } from '../kernel/schema.ts';
import { listViolations } from '../kernel/schema.ts';
import { inputSchemaProblems, schemaCheck } from './json-schema.ts';
import { compile } from './schema/compile.ts';
import { riskyPattern } from './schema/patterns.ts';
import { plainlyValid } from './schema/plainly-valid.ts';

const check = (schema: JsonSchema, value: unknown) => listViolations(schemaCheck(schema, value)).split('\n');

const order = {
  type: 'object',
  properties: {
    id: { type: 'integer', minimum: 1 },
    state: { enum: ['open', 'paid'] },
    items: {
      type: 'array',
      items: { type: 'object', properties: { price: { type: 'number' } }, required: ['price'] },
    },
    'odd key': { type: 'string' },
  },
  required: ['id'],
  additionalProperties: false,
} as const;

test('a value that satisfies its schema has no violations', () => {
  expect(schemaCheck(order, { id: 1, state: 'open', items: [{ price: 2.5 }] })).toEqual([]);
});

test('all violations are listed, each with its JSON path', () => {
  expect(check(order, { state: 'lost', items: [{ price: 1 }, {}, { price: '3' }], 'odd key': 1, extra: 0 })).toEqual([
    '- $ must have the property "id"',
    '- $.extra is not a known property; known are "id", "state", "items", "odd key"',
    '- $.state must be one of "open", "paid"',
    '- $.items[1] must have the property "price"',
    '- $.items[2].price must be number',
    '- $["odd key"] must be string',
  ]);
});

test('boolean schemas take everything and nothing', () => {
  expect(schemaCheck(true, 1)).toEqual([]);
  expect(check(false, 1)).toEqual(['- $ must not be given at all']);
});

test('draft 2020-12 is understood, and draft 7 where the schema says so or can only be that', () => {
  const tuple2020 = { type: 'array', prefixItems: [{ type: 'string' }], items: false };
  expect(check(tuple2020, [1])).toEqual(['- $[0] must be string']);
  const tuple7 = { type: 'array', items: [{ type: 'string' }], additionalItems: false };
  expect(check({ $schema: 'http://json-schema.org/draft-07/schema#', ...tuple7 }, [1])).toEqual([
    '- $[0] must be string',
  ]);
  expect(check(tuple7, [1])).toEqual(['- $[0] must be string']);
});

test('formats are checked and unknown ones ignored', () => {
  expect(check({ format: 'date' }, '2026-02-30')).toEqual(['- $ must match format "date"']);
  expect(schemaCheck({ format: 'haiku' }, 'x')).toEqual([]);
});

test('references within the schema resolve, also by an id that another schema uses too', () => {
  const withId = (type: string) => ({ $id: 'https://example.com/s', $ref: '#/$defs/x', $defs: { x: { type } } });
  expect(check(withId('string'), 1)).toEqual(['- $ must be string']);
  expect(check(withId('number'), 'a')).toEqual(['- $ must be number']);
});

test('a schema that cannot be used refuses every value and says why', () => {
  const broken = { type: 'object', properties: { a: { $ref: 'https://elsewhere.example/x' } } };
  expect(check(broken, {})[0]).toBe('');
  expect(check(broken, { a: 1 })[0]).toContain('cannot be checked: its schema is not usable');
  expect(inputSchemaProblems(broken)[0]?.message).toContain('elsewhere.example');
});

test('problems of a schema are named with their place in it', () => {
  expect(inputSchemaProblems(order)).toEqual([]);
  expect(inputSchemaProblems({ type: 'object', properties: { a: { type: 'text' } } })[0]).toMatchObject({
    path: '$.properties.a.type',
    message: expect.stringContaining('must be one of "array"') as string,
  });
  expect(inputSchemaProblems({ required: 'a' })).toEqual([{ path: '$.required', message: 'must be array' }]);
  expect(inputSchemaProblems({ minLength: -1 })).toEqual([{ path: '$.minLength', message: 'must be >= 0' }]);
});

test('keys of the prototype are no properties, whatever they are called', () => {
  expect(check({ required: ['toString', '__proto__', 'constructor'] }, {})).toHaveLength(3);
  const hostile: unknown = JSON.parse('{"__proto__": {"admin": true}, "constructor": 1}');
  expect(check({ additionalProperties: false }, hostile)).toHaveLength(2);
  expect(check({ type: 'object', properties: { constructor: { type: 'string' } } }, hostile)).toEqual([
    '- $.constructor must be string',
  ]);
  expect(schemaCheck(JSON.parse('{"properties": {"__proto__": {"type": "string"}}}') as JsonSchema, {})).toEqual([]);
});

test('a pattern that would go back for hours is matched in one pass', () => {
  expect(check({ pattern: '^(a+)+$' }, `${'a'.repeat(60)}!`)).toEqual(['- $ must match pattern "^(a+)+$"']);
  expect(schemaCheck({ pattern: '^(a+)+$' }, 'a'.repeat(60))).toEqual([]);
  const keys = { patternProperties: { '^(a+)+$': true }, additionalProperties: false };
  expect(check(keys, { [`${'a'.repeat(60)}!`]: 1 })[0]).toContain('is not a known property');
});

test('a pattern that takes very many steps is ended and not passed', () => {
  expect(check({ pattern: '(.*a){40}b' }, 'a'.repeat(100_000))[0]).toContain('takes too long on this text');
  expect(check({ pattern: '(a)\\1' }, 'aa')[0]).toContain('refers back to what it matched');
});

test('formats are told in one pass, and mean what they meant', () => {
  for (const [format, good, bad] of [
    ['uri', 'https://me@x.example:80/a%20b?c=d#e', 'https://x example/'],
    ['uri', 'urn:isbn:123', '//no.scheme/'],
    ['email', 'a@b.example', 'a@'],
    ['url', 'https://x.example/a', 'x.example'],
    ['ipv6', '::1', ':::1'],
  ] as const) {
    expect(schemaCheck({ format }, good), good).toEqual([]);
    expect(check({ format }, bad), bad).toEqual([`- $ must match format "${format}"`]);
  }
  expect(check({ format: 'url' }, `http://${'a-'.repeat(32_000)}`)[0]).toMatch(/must match format|takes too long/);
});

test('long patterns are refused, and long texts for harmless ones are not', () => {
  expect(check({ pattern: 'x'.repeat(1001) }, 'x')[0]).toContain('the limit is 1000');
  expect(schemaCheck({ pattern: '^x*$' }, 'x'.repeat(70_000))).toEqual([]);
});

test('two risky patterns in one schema stay two', () => {
  const schema = { properties: { a: { pattern: '^(a+|b)+$' }, b: { pattern: '^(c+|d)+$' } } };
  expect(check(schema, { a: 'ab', b: 'ab' })).toEqual(['- $.b must match pattern "^(c+|d)+$"']);
});

test('a pattern that is only valid without the unicode flag still works', () => {
  expect(schemaCheck({ pattern: '^[\\w\\-]+\\-$' }, 'a-')).toEqual([]);
});

test('uniqueItems over very many objects is told in one pass, and names the pair', () => {
  const many = Array.from({ length: 20_000 }, (_, index) => ({ index, other: 1 }));
  expect(schemaCheck({ uniqueItems: true }, many)).toEqual([]);
  expect(check({ uniqueItems: true }, [{ a: 1, b: 2 }, 1, { b: 2, a: 1 }])).toEqual([
    '- $ must NOT have duplicate items (items ## 0 and 2 are identical)',
  ]);
  expect(schemaCheck({ uniqueItems: false }, [1, 1])).toEqual([]);
});

test('references that multiply are ended, with the same answer on every machine', () => {
  const $defs: Record<string, unknown> = { d30: { type: 'string' } };
  for (let at = 0; at < 30; at++)
    $defs[`d${at}`] = { allOf: [{ $ref: `#/$defs/d${at + 1}` }, { $ref: `#/$defs/d${at + 1}` }] };
  expect(check({ $ref: '#/$defs/d0', $defs }, 1)).toEqual([
    '- $ cannot be checked: its schema asks too much of a value this large',
  ]);
  const hidden = {
    $ref: '#/odd/place',
    odd: { place: { anyOf: [{ $ref: '#/odd/place2' }], items: { $ref: '#/odd/place' } }, place2: {} },
  };
  expect(schemaCheck(hidden, [[[1]]])).toEqual([]);
  expect(check({ $ref: '#/$defs/a', $defs: { a: { allOf: [{ $ref: '#/$defs/a' }] } } }, 1)[0]).toContain(
    'cannot be checked',
  );
});

test('the counter of the work is no property of a value', () => {
  expect(check({ properties: { a: {} }, additionalProperties: false }, { 'x-cadre-steps': 1 })).toEqual([
    '- $["x-cadre-steps"] is not a known property; known are "a"',
  ]);
  expect(check({ properties: { 'x-cadre-steps': { type: 'string' } } }, { 'x-cadre-steps': 1 })).toEqual([
    '- $["x-cadre-steps"] must be string',
  ]);
});

test('long lists and many names count as much work as they are', () => {
  const names = Array.from({ length: 900 }, (_, index) => `n${index}`);
  const known = { properties: Object.fromEntries(names.map((name) => [name, true])), additionalProperties: false };
  const many = Array.from({ length: 3000 }, () => Object.fromEntries(names.map((name) => [name, 1])));
  expect(check({ items: known }, [...many, 1])[0]).toContain('asks too much');
  expect(check({ items: { enum: names } }, [...Array.from({ length: 9000 }, () => 'n899'), 'x'])[0]).toContain(
    'asks too much',
  );
});

test('a value nested too deeply for its recursive schema is a violation', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 200_000; level++) deep = { child: deep };
  expect(check({ properties: { child: { $ref: '#' } } }, deep)[0]).toContain('nested more than 100 levels deep');
});

test('very many violations are cut, with their number', () => {
  const violations = schemaCheck(
    { items: { type: 'string' } },
    Array.from({ length: 500 }, () => 1),
  );
  expect(violations).toHaveLength(101);
  expect(violations.at(-1)?.message).toBe('has 400 more violations');
});

test.each([
  ['^[a-z][a-z0-9_-]{0,63}$', false],
  ['^\\d{4}-\\d{2}-\\d{2}$', false],
  ['^(?:open|paid)$', false],
  ['\\+\\*', false],
  ['a*', true],
  ['^a*a*$', true],
  ['^a*|b', true],
  ['^(a|b)*$', true],
  ['^(?=.*\\d).+$', true],
  ['(a)\\1', true],
  ['(a|a)(a|a)', true],
])('the pattern %s is risky: %s', (source, risky) => {
  expect(riskyPattern(source)).toBe(risky);
});

test('a plainly valid value is valid for Ajv too', () => {
  const scalar = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 4 }),
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
  );
  const name = fc.constantFrom('a', 'b', '__proto__', 'toString', 'ü');
  const { schema } = fc.letrec<{ schema: Record<string, unknown> | boolean }>((tie) => ({
    schema: fc.oneof(
      { maxDepth: 3 },
      fc.record(
        {
          type: fc.constantFrom('string', 'number', 'integer', 'boolean', 'null', 'object', 'array'),
          enum: fc.array(scalar, { minLength: 1, maxLength: 3 }),
          minimum: fc.integer({ min: -5, max: 5 }),
          maximum: fc.integer({ min: -5, max: 5 }),
          minLength: fc.nat(3),
          maxLength: fc.nat(3),
          minItems: fc.nat(2),
          maxItems: fc.nat(2),
          required: fc.uniqueArray(name, { maxLength: 2 }),
          additionalProperties: fc.boolean(),
          properties: fc.dictionary(name, tie('schema'), { maxKeys: 3 }),
          items: tie('schema'),
          title: fc.string(),
        },
        { requiredKeys: [] },
      ),
      fc.boolean(),
    ),
  }));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(name, tie('value'), { maxKeys: 3 }),
    ),
  }));
  let plain = 0;
  fc.assert(
    fc.property(schema, value, (candidate, instance) => {
      if (typeof candidate === 'boolean' || !plainlyValid(candidate, instance)) return;
      plain++;
      const compiled = compile(candidate);
      if (compiled.kind === 'unusable') throw new Error(compiled.reason);
      expect(compiled.validate(instance), JSON.stringify([candidate, instance])).toBe(true);
    }),
    { numRuns: 3000 },
  );
  expect(plain).toBeGreaterThan(20);
});
