import type { StandardSchemaV1 } from '@standard-schema/spec';
import { expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { NOTHING_SECRET } from '../kernel/redacted.ts';
import type { JsonSchema } from '../kernel/schema.ts';
import { tool } from './functions.ts';

const context = { signal: new AbortController().signal, callKey: 'k1', progress: () => {}, redactor: NOTHING_SECRET };
const returning = (value: unknown) =>
  tool({ name: 'give', description: 'Gives.', parameters: { type: 'object' }, run: () => value });

test('a function becomes a tool that is not repeated unless it says so', () => {
  expect(returning(1)).toMatchObject({
    spec: { name: 'give', description: 'Gives.', parameters: { type: 'object' } },
    repeat: 'never',
  });
});

test.each([
  ['text', 'text'],
  ['', ''],
  [42, '42'],
  [null, 'null'],
  [{ a: [1] }, '{\n  "a": [\n    1\n  ]\n}'],
  [undefined, 'done'],
  [Promise.resolve('later'), 'later'],
  [
    { status: 'error', text: 'no such order' },
    { status: 'error', text: 'no such order' },
  ],
  [{ status: 'ok', text: 'paid', order: 17 }, '{\n  "status": "ok",\n  "text": "paid",\n  "order": 17\n}'],
])('the value %j is shown to the model as %j', async (value, output) => {
  expect(await returning(value).execute({}, context)).toEqual(output);
});

test('a value that is no JSON is an error that names the tool', async () => {
  await expect(returning(() => 1).execute({}, context)).rejects.toThrow('give returned a function');
});

test('the function gets the arguments and the context of its call', async () => {
  const add = tool<{ a: number; b: number }>({
    name: 'add',
    description: 'Adds.',
    parameters: { type: 'object' },
    run: ({ a, b }, { callKey }) => `${callKey}: ${a + b}`,
  });
  expect(await add.execute({ a: 1, b: 2 }, context)).toBe('k1: 3');
});

test.each(['', 'with space', 'ünicode', 'x'.repeat(65)])('the name %j is refused at once', (name) => {
  expect(() => tool({ name, description: '', parameters: true, run: () => '' })).toThrow('cannot be named');
});

test('the type of the input follows from a JSON Schema that is written out', () => {
  tool({
    name: 'order',
    description: 'Orders.',
    parameters: {
      type: 'object',
      properties: {
        article: { type: 'string' },
        count: { type: 'integer' },
        size: { enum: ['s', 'l'] },
        tags: { type: 'array', items: { type: 'string' } },
        note: { type: ['string', 'null'] },
        to: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
        price: { anyOf: [{ type: 'number' }, { const: 'free' }] },
        more: { type: 'object', additionalProperties: { type: 'boolean' } },
      },
      required: ['article', 'size', 'to'],
    },
    run(input) {
      expectTypeOf(input).toEqualTypeOf<{
        readonly article: string;
        readonly count?: number;
        readonly size: 's' | 'l';
        readonly tags?: readonly string[];
        readonly note?: string | null;
        readonly to: { readonly city: string };
        readonly price?: number | 'free';
        readonly more?: { readonly [name: string]: boolean };
      }>();
    },
  });
  const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const;
  tool({ name: 'one', description: '', parameters: schema, run: ({ a }) => expectTypeOf(a).toEqualTypeOf<number>() });
  const unknown: JsonSchema = schema;
  tool({ name: 'two', description: '', parameters: unknown, run: (input) => expectTypeOf(input).toBeUnknown() });
  // @ts-expect-error the schema has no property b
  tool({ name: 'three', description: '', parameters: schema, run: ({ b }) => b });
});

test('a Standard Schema gives the type, the JSON Schema for the model, and the last word on the arguments', async () => {
  const range = z
    .object({ from: z.number(), to: z.number().default(10), unit: z.string().transform((text) => text.length) })
    .refine(({ from, to }) => from <= to, { path: ['to'], message: 'must not be less than from' });
  const measure = tool({
    name: 'measure',
    description: 'Measures.',
    input: range,
    run(input) {
      expectTypeOf(input).toEqualTypeOf<{ from: number; to: number; unit: number }>();
      return input;
    },
  });
  expect(measure.spec.parameters).toEqual({
    type: 'object',
    properties: { from: { type: 'number' }, to: { type: 'number', default: 10 }, unit: { type: 'string' } },
    required: ['from', 'unit'],
  });
  expect(await measure.execute({ from: 1, unit: 'mm' }, context)).toBe(
    JSON.stringify({ from: 1, to: 10, unit: 2 }, null, 2),
  );
  expect(await measure.execute({ from: 11, unit: 'mm' }, context)).toEqual({
    status: 'error',
    text: 'The arguments of measure do not satisfy its schema:\n- $.to must not be less than from',
  });
});

test('a check of a Standard Schema may take its time', async () => {
  const known = z.object({ ids: z.array(z.string().refine(async (id) => id !== 'b', 'is not known')) });
  const look = tool({ name: 'look', description: '', input: known, run: () => 'seen' });
  expect(await look.execute({ ids: ['a'] }, context)).toBe('seen');
  expect(await look.execute({ ids: ['a', 'b'] }, context)).toMatchObject({
    status: 'error',
    text: expect.stringContaining('- $.ids[1] is not known'),
  });
});

test('a Standard Schema that provides no JSON Schema needs parameters beside it', async () => {
  const bare: StandardSchemaV1<{ n: number }, { n: number }> = {
    '~standard': { version: 1, vendor: 'homemade', validate: (value) => ({ value: value as { n: number } }) },
  };
  const half = { name: 'half', description: '', input: bare, run: ({ n }: { n: number }) => n / 2 };
  expect(() => tool(half)).toThrow(
    'The input of the tool "half" is a schema of homemade that provides no JSON Schema.',
  );
  const whole = tool({ ...half, parameters: { type: 'object' } });
  expect(whole.spec.parameters).toEqual({ type: 'object' });
  expect(await whole.execute({ n: 4 }, context)).toBe('2');
  expect(() => tool({ ...half, input: z.object({ n: z.date() }), run: () => '' })).toThrow(
    'cannot be written as a JSON',
  );
});
