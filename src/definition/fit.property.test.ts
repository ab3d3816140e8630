// Random pairs of schemas against a real validator: what `fit` claims to have proven holds for every value we can think of.
import { Ajv2020 } from 'ajv/dist/2020.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonSchema } from '../kernel/schema.ts';
import { constantFits, fit } from './fit.ts';

type Schema = { readonly [key: string]: unknown };
type Random = () => number;

const runs = Number(process.env['CADRE_FIT_RUNS'] ?? 1_500);
const names = ['a', 'b', 'ab', 'c'];
const texts = ['', 'a', 'b', 'ab', 'ba', 'abc', 'é😀'];
const numbers = [-2, -1, 0, 0.5, 1, 1.5, 2, 3, 4, 6];
const scalars: readonly unknown[] = [null, true, false, ...numbers, ...texts];
const listed: readonly unknown[] = [...scalars, [], {}, [1], { a: 1 }];

const count = fc.nat({ max: 3 });
const number = fc.constantFrom(...numbers);
const few = <T>(arbitrary: fc.Arbitrary<T>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 });
/** Present once in `weight + 1` times: a schema with every keyword allows nothing, and teaches nothing. */
const perhaps = (value: fc.Arbitrary<unknown>, weight: number) =>
  fc.oneof({ weight, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: value });
const some = (keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Schema> =>
  fc
    .record(Object.fromEntries(Object.entries(keywords).map(([name, value]) => [name, perhaps(value, 2)])))
    .map((record) => Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)));
const typed = (type: string, keywords: Record<string, fc.Arbitrary<unknown>>): fc.Arbitrary<Schema> =>
  fc
    .tuple(fc.constantFrom({ type }, { type }, { type: [type, 'null'] }, {}), some(keywords))
    .map(([base, rest]) => ({ ...base, ...rest }));
const mapOf = (value: fc.Arbitrary<unknown>, keys = names) =>
  fc.array(fc.tuple(fc.constantFrom(...keys), value), { maxLength: 3 }).map((entries) => Object.fromEntries(entries));

const numberKeywords = {
  minimum: number,
  maximum: number,
  exclusiveMinimum: number,
  exclusiveMaximum: number,
  multipleOf: fc.constantFrom(0.5, 1, 2, 3),
};
const textKeywords = { minLength: count, maxLength: count, pattern: fc.constantFrom('^a', 'b$', '(a|b)+') };

const leaf: fc.Arbitrary<JsonSchema> = fc.oneof(
  { weight: 1, arbitrary: fc.boolean() },
  {
    weight: 2,
    arbitrary: few(fc.constantFrom('null', 'boolean', 'integer', 'number', 'string', 'array', 'object')).map(
      (list) => ({ type: [...new Set(list)] }),
    ),
  },
  { weight: 3, arbitrary: few(fc.constantFrom(...listed)).map((values) => ({ enum: values })) },
  { weight: 2, arbitrary: fc.constantFrom(...listed).map((value) => ({ const: value })) },
  {
    weight: 3,
    arbitrary: fc.constantFrom('integer', 'number').chain((type) => typed(type, numberKeywords)),
  },
  {
    weight: 2,
    arbitrary: typed('string', textKeywords),
  },
);

type Keywords = Record<string, fc.Arbitrary<unknown>>;

const rarely = (keywords: Keywords): Keywords =>
  Object.fromEntries(Object.entries(keywords).map(([name, value]) => [name, perhaps(value, 2)]));

const arrayKeywords = (below: fc.Arbitrary<JsonSchema>): Keywords => ({
  items: below,
  prefixItems: few(below),
  minItems: count,
  maxItems: count,
  uniqueItems: fc.boolean(),
  ...rarely({ contains: below, minContains: count, maxContains: count, unevaluatedItems: below }),
});

const objectKeywords = (below: fc.Arbitrary<JsonSchema>, beside: fc.Arbitrary<JsonSchema>): Keywords => ({
  properties: mapOf(below),
  required: fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 }),
  additionalProperties: below,
  ...rarely({
    patternProperties: mapOf(below, ['^a', 'b$', '^x']),
    propertyNames: beside,
    minProperties: count,
    maxProperties: count,
    unevaluatedProperties: below,
    dependentRequired: mapOf(fc.uniqueArray(fc.constantFrom(...names), { maxLength: 2 })),
    dependentSchemas: mapOf(beside),
  }),
});

/** `reference` is allowed only below a property or an item, so that no schema refers to itself about the same value. */
function schemaOf(depth: number, reference: boolean): fc.Arbitrary<JsonSchema> {
  const references = fc.constantFrom({ $ref: '#/$defs/d' }, { $ref: '#' });
  if (depth === 0)
    return reference ? fc.oneof({ weight: 5, arbitrary: leaf }, { weight: 1, arbitrary: references }) : leaf;
  const beside = schemaOf(depth - 1, reference);
  const below = schemaOf(depth - 1, true);
  const array = typed('array', arrayKeywords(below));
  const object = typed('object', objectKeywords(below, beside));
  const choice = fc.oneof(
    few(beside).map((anyOf) => ({ anyOf })),
    few(beside).map((oneOf) => ({ oneOf })),
    few(beside).map((allOf) => ({ allOf })),
    beside.map((not) => ({ not })),
    fc
      .tuple(beside, beside, beside)
      .map((parts) => Object.fromEntries(['if', 'then', 'else'].map((name, index) => [name, parts[index]]))),
  );
  const both = fc.tuple(fc.oneof(array, object, choice), choice).map(([one, other]) => ({ ...one, ...other }));
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 4, arbitrary: object },
    { weight: 3, arbitrary: array },
    { weight: 3, arbitrary: choice },
    { weight: 1, arbitrary: both },
  );
}

const defined = (schema: JsonSchema, d: JsonSchema): JsonSchema =>
  typeof schema === 'object' && JSON.stringify([schema, d]).includes('"$ref"') ? { ...schema, $defs: { d } } : schema;

const document = fc.tuple(schemaOf(2, false), schemaOf(1, false)).map(([schema, d]) => defined(schema, d));

/** Two schemas that differ by some keywords of one family. */
const twins = fc
  .constantFrom(
    ['number', numberKeywords] as const,
    ['string', textKeywords] as const,
    ['array', arrayKeywords(schemaOf(1, true))] as const,
    ['object', objectKeywords(schemaOf(1, true), leaf)] as const,
  )
  .chain(([type, keywords]) => {
    const more = fc
      .constantFrom(...Object.entries(keywords))
      .chain(([name, value]) => value.map((found) => (found === undefined ? {} : { [name]: found })));
    return fc.tuple(typed(type, keywords), more, more, schemaOf(1, false));
  })
  .map(([base, one, other, d]) => [defined({ ...base, ...one }, d), defined({ ...base, ...other }, d)] as const);

/** Two schemas that have nothing to do with each other, or that differ by one edit, or by one keyword. */
const edit = fc
  .tuple(document, fc.integer(), leaf)
  .map(([schema, seed, other]) => [schema, edited(schema, randomOf(seed), other)] as const);
const pair: fc.Arbitrary<readonly [JsonSchema, JsonSchema]> = fc
  .tuple(fc.oneof(fc.tuple(document, document), edit, twins), fc.boolean())
  .map(([[one, other], swap]) => (swap ? [other, one] : [one, other]));

function randomOf(seed: number): Random {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const pick = <T>(items: readonly T[], random: Random): T | undefined => items[Math.floor(random() * items.length)];

/** The schema with one change somewhere inside: a keyword gone, a number moved, an alternative or a constraint added. */
function edited(schema: JsonSchema, random: Random, other: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return other;
  const { $defs, ...rest } = schema;
  const definitions = $defs === undefined ? {} : { $defs };
  const change = random();
  if (change < 0.1) return { anyOf: [rest, other], ...definitions };
  if (change < 0.15) return { allOf: [rest, other], ...definitions };
  const keyword = pick(Object.keys(rest), random);
  if (keyword === undefined || keyword === '$ref') return other;
  if (change < 0.4) return Object.fromEntries(Object.entries(schema).filter(([key]) => key !== keyword));
  return { ...schema, [keyword]: editedValue(keyword, schema[keyword], random, other) };
}

function editedValue(keyword: string, value: unknown, random: Random, other: JsonSchema): unknown {
  const within = (inner: unknown): JsonSchema => edited(inner as JsonSchema, random, other);
  if (typeof value === 'number') return Math.max(0, value + (pick([-1, 1], random) ?? 1)) || 1;
  if (['anyOf', 'oneOf', 'allOf', 'prefixItems'].includes(keyword)) return (value as JsonSchema[]).map(within);
  if (['enum', 'type', 'required'].includes(keyword))
    return Array.isArray(value) && value.length > 1 ? value.slice(1) : value;
  if (['properties', 'patternProperties', 'dependentSchemas'].includes(keyword)) {
    const key = pick(Object.keys(value as Schema), random);
    return Object.fromEntries(
      Object.entries(value as Schema).map(([name, item]) => [name, name === key ? within(item) : item]),
    );
  }
  return ['const', 'pattern', 'uniqueItems', 'dependentRequired'].includes(keyword) ? value : within(value);
}

/** A value that the schema probably allows, drawn towards its edges. */
function sample(schema: JsonSchema, root: JsonSchema, random: Random, depth = 0): unknown {
  if (typeof schema === 'boolean' || depth > 5) return pick(listed, random);
  if (typeof schema['$ref'] === 'string')
    return sample(
      schema['$ref'] === '#' ? root : ((((root as Schema)['$defs'] as Schema)?.['d'] as JsonSchema) ?? true),
      root,
      random,
      depth + 1,
    );
  if (schema['const'] !== undefined) return schema['const'];
  if (Array.isArray(schema['enum'])) return pick(schema['enum'], random);
  const branches = ['anyOf', 'oneOf', 'allOf', 'then', 'else', 'if'].flatMap((name) =>
    schema[name] === undefined ? [] : [schema[name]].flat(),
  ) as JsonSchema[];
  const parts = branches.filter(() => random() < 0.6).map((branch) => sample(branch, root, random, depth + 1));
  const own = sampleOwn(schema, root, random, depth);
  const objects = [own, ...parts].filter(
    (part): part is Schema => typeof part === 'object' && part !== null && !Array.isArray(part),
  );
  if (objects.length > 1 && random() < 0.7) return Object.fromEntries(objects.flatMap((part) => Object.entries(part)));
  return branches.length > 0 && parts.length > 0 && random() < 0.8 ? pick(parts, random) : own;
}

function sampleOwn(schema: Schema, root: JsonSchema, random: Random, depth: number): unknown {
  const type = pick([schema['type'] ?? typeGuess(schema)].flat(), random);
  const get = (name: string): number | undefined =>
    typeof schema[name] === 'number' ? (schema[name] as number) : undefined;
  if (type === 'null') return null;
  if (type === 'boolean') return random() < 0.5;
  if (type === 'string') return pick(texts, random);
  if (type === 'integer' || type === 'number') {
    const edges = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'].flatMap(
      (name) => get(name) ?? [],
    );
    return random() < 0.7 && edges.length > 0
      ? (pick(edges, random) ?? 0) + (pick([-1, -0.5, 0, 0, 0.5, 1], random) ?? 0)
      : pick(numbers, random);
  }
  if (type === 'array') {
    const prefix = (schema['prefixItems'] ?? []) as JsonSchema[];
    const length = Math.max(get('minItems') ?? 0, Math.min(get('maxItems') ?? 4, Math.floor(random() * 4)));
    return Array.from({ length }, (_, index) => {
      const items = prefix[index] ?? schema['items'] ?? schema['unevaluatedItems'] ?? schema['contains'] ?? true;
      return sample((random() < 0.2 ? (schema['contains'] ?? items) : items) as JsonSchema, root, random, depth + 1);
    });
  }
  if (type !== 'object') return pick(listed, random);
  const properties = (schema['properties'] ?? {}) as Record<string, JsonSchema>;
  const required = (schema['required'] ?? []) as string[];
  const chance = (name: string): number =>
    required.includes(name) ? 0.97 : Object.hasOwn(properties, name) ? 0.5 : 0.15;
  const patterns = Object.entries((schema['patternProperties'] ?? {}) as Record<string, JsonSchema>);
  return Object.fromEntries(
    [...names, 'zz']
      .filter((name) => random() < chance(name))
      .map((name) => {
        const matched = patterns.find(([pattern]) => new RegExp(pattern, 'u').test(name))?.[1];
        const declared = Object.hasOwn(properties, name) ? properties[name] : undefined;
        return [
          name,
          sample(
            declared ??
              matched ??
              ((schema['additionalProperties'] ?? schema['unevaluatedProperties'] ?? true) as JsonSchema),
            root,
            random,
            depth + 1,
          ),
        ];
      }),
  );
}

function typeGuess(schema: Schema): string {
  if (
    [
      'properties',
      'required',
      'additionalProperties',
      'patternProperties',
      'propertyNames',
      'minProperties',
      'maxProperties',
    ].some((name) => name in schema)
  )
    return 'object';
  if (['items', 'prefixItems', 'contains', 'minItems', 'maxItems', 'uniqueItems'].some((name) => name in schema))
    return 'array';
  return ['minLength', 'maxLength', 'pattern'].some((name) => name in schema) ? 'string' : 'number';
}

/** One value for both: where both drew an object, the properties of the two are mixed. */
function mixed(one: unknown, other: unknown, random: Random): unknown {
  const isPlain = (value: unknown): value is Schema =>
    typeof value === 'object' && value !== null && !Array.isArray(value);
  if (Array.isArray(one) && Array.isArray(other))
    return one.map((item, index) => (random() < 0.5 || index >= other.length ? item : other[index]));
  if (!isPlain(one) || !isPlain(other)) return random() < 0.5 ? one : other;
  return Object.fromEntries([
    ...Object.entries(one),
    ...Object.entries(other).filter(([name]) => random() < 0.5 || !Object.hasOwn(one, name)),
  ]);
}

function valuesFor(upstream: JsonSchema, downstream: JsonSchema, random: Random): readonly unknown[] {
  const drawn = Array.from({ length: 40 }, () => {
    const [one, other] = [sample(upstream, upstream, random), sample(downstream, downstream, random)];
    return [one, other, mixed(one, other, random)];
  });
  return [...listed, [[]], [1, 1], [null], { b: null }, { a: 'a', b: 'b' }, { c: 1 }, ...drawn.flat()];
}

const listKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];
const mapKeywords = ['properties', 'patternProperties', 'dependentSchemas', '$defs'];
const plainKeywords = ['const', 'enum', 'type', 'pattern', 'required', 'dependentRequired', '$ref'];

/**
 * The same schema, said so that ajv 8 gets it right: after `prefixItems` it skips the keywords beside it when the array is shorter,
 * `contains` remembers the array before, and `uniqueItems` trusts the type of `items` for a tuple too.
 */
function forAjv(schema: JsonSchema): JsonSchema {
  if (typeof schema === 'boolean') return schema;
  const present = (record: Schema): Schema =>
    Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined));
  const within = Object.fromEntries(
    Object.entries(schema).map(([name, value]) => {
      if (listKeywords.includes(name)) return [name, (value as JsonSchema[]).map(forAjv)];
      if (mapKeywords.includes(name))
        return [
          name,
          Object.fromEntries(Object.entries(value as Schema).map(([key, item]) => [key, forAjv(item as JsonSchema)])),
        ];
      return [name, plainKeywords.includes(name) || typeof value === 'number' ? value : forAjv(value as JsonSchema)];
    }),
  );
  const { prefixItems, items, uniqueItems, contains, minContains, maxContains, allOf, ...rest } = within as Schema;
  const minItems = contains === undefined || minContains === 0 ? undefined : 1;
  const parts = [{ prefixItems, items }, { uniqueItems }, { contains, minContains, maxContains, minItems }].map(
    present,
  );
  const apart = [...((allOf ?? []) as JsonSchema[]), ...parts.filter((part) => Object.keys(part).length > 0)];
  return apart.length === 0 ? rest : { ...rest, allOf: apart };
}

/** Undefined where ajv itself fails, which it does for some unevaluatedProperties. */
function validatorOf(schema: JsonSchema): (value: unknown) => boolean | undefined {
  const validate = new Ajv2020({ strict: false, validateSchema: false, ownProperties: true }).compile(forAjv(schema));
  return (value) => {
    try {
      return validate(value);
    } catch {
      return undefined;
    }
  };
}

const tally = { 'no-finding': 0, 'may-not-fit': 0, 'never-fits': 0, 'never-fits with a witness': 0 };

test('schemas that never fit share no value by the validator', () => {
  fc.assert(
    fc.property(pair, fc.integer(), ([upstream, downstream], seed) => {
      const outcome = fit(upstream, downstream);
      tally[outcome.kind] += 1;
      if (outcome.kind === 'may-not-fit') expect(outcome.doubts.length).toBeGreaterThan(0);
      if (outcome.kind !== 'never-fits') return;
      const accepts = { upstream: validatorOf(upstream), downstream: validatorOf(downstream) };
      const values = valuesFor(upstream, downstream, randomOf(seed));
      const given = values.filter((value) => accepts.upstream(value) === true);
      const wrong = given.find((value) => accepts.downstream(value) === true);
      if (given.length > 0) tally['never-fits with a witness'] += 1;
      if (wrong !== undefined)
        throw new Error(`never-fits, and yet ${JSON.stringify(wrong)}: ${JSON.stringify(outcome)}`);
    }),
    { numRuns: runs },
  );
});

test('the property above is put to the test often enough to mean something', () => {
  for (const times of Object.values(tally)) expect(times).toBeGreaterThan(runs / 20);
});

/** Schemas that each accept all that the first accepts. */
const widenings: readonly ((schema: Schema, other: JsonSchema, random: Random) => JsonSchema)[] = [
  (schema) => structuredClone(schema),
  ({ $defs, ...rest }, other) => ({ anyOf: [rest, other], ...($defs === undefined ? {} : { $defs }) }),
  ({ $defs, ...rest }, other) => ({ anyOf: [other, { allOf: [rest] }], ...($defs === undefined ? {} : { $defs }) }),
  (schema, _, random) => {
    const gone = pick(
      Object.keys(schema).filter((name) => alone.includes(name)),
      random,
    );
    return Object.fromEntries(Object.entries(schema).filter(([name]) => name !== gone));
  },
];
/** Keywords without which a schema accepts more, whatever stands beside them. */
const alone = (
  'type enum const minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength pattern ' +
  'minItems maxItems uniqueItems required additionalProperties propertyNames minProperties maxProperties ' +
  'anyOf oneOf allOf not'
).split(' ');
const isRecursive = (schema: JsonSchema): boolean => JSON.stringify(schema).includes('"$ref":"#"');

test('there is no doubt about a schema that accepts everything the upstream gives', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        document,
        twins.map(([one]) => one),
      ),
      leaf,
      fc.integer(),
      (schema, other, seed) => {
        // A reference to the root means another schema where the root is another.
        if (typeof schema === 'boolean' || isRecursive(schema)) return;
        for (const widen of widenings) {
          const wider = widen(schema, other, randomOf(seed));
          const outcome = fit(schema, wider);
          if (outcome.kind === 'may-not-fit') throw new Error(`${JSON.stringify(wider)}: ${JSON.stringify(outcome)}`);
        }
      },
    ),
    { numRuns: runs },
  );
});

test('there is no doubt about what the upstream says more than once, or says in more than one way', () => {
  fc.assert(
    fc.property(document, document, (schema, other) => {
      if (isRecursive(schema) || typeof schema === 'boolean') return;
      const { $defs, ...rest } = schema;
      if (JSON.stringify(other).includes('"$ref"')) return;
      const narrower = { allOf: [rest, other], ...($defs === undefined ? {} : { $defs }) };
      expect(fit(narrower, schema).kind).not.toBe('may-not-fit');
    }),
    { numRuns: runs },
  );
});

test('a fixed value that is refused is one that the validator refuses', () => {
  let refusedValues = 0;
  fc.assert(
    fc.property(document, fc.integer(), (schema, seed) => {
      const accepts = validatorOf(schema);
      for (const value of valuesFor(schema, schema, randomOf(seed))) {
        const outcome = constantFits(value, schema);
        if (outcome.kind === 'never-fits') refusedValues += 1;
        if (outcome.kind === 'never-fits' && accepts(value) === true)
          throw new Error(`${outcome.kind} for ${JSON.stringify(value)}: ${JSON.stringify(outcome)}`);
      }
    }),
    { numRuns: Math.ceil(runs / 5) },
  );
  expect(refusedValues).toBeGreaterThan(runs);
});

test('every schema fits itself, unless it allows nothing', () => {
  fc.assert(
    fc.property(document, (schema) => {
      expect(fit(schema, structuredClone(schema)).kind).not.toBe('may-not-fit');
    }),
    { numRuns: Math.ceil(runs / 5) },
  );
});
