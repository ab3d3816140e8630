// The fields of a JSON Schema, and what each of them takes in a few words. Pure. Text, number, boolean, a choice of a few,
// lists of those, and objects two levels deep are fields; anything else is written as JSON.

import type { JsonSchema } from '../../../src/kernel/schema.ts';

export type FieldKind =
  | { readonly kind: 'text'; readonly long: boolean }
  | { readonly kind: 'number' }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'choice'; readonly of: readonly string[] }
  | { readonly kind: 'list'; readonly of: 'text' | 'number' }
  | { readonly kind: 'object'; readonly fields: readonly Field[] }
  | { readonly kind: 'json' };

export interface Field {
  readonly name: string;
  readonly required: boolean;
  /** The right value, in a few words: `number, more than 0`. */
  readonly says: string;
  readonly help?: string;
  readonly initial: unknown;
  readonly what: FieldKind;
}

type SchemaMap = Readonly<Record<string, unknown>>;

const isMap = (value: unknown): value is SchemaMap =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const MOST_LEVELS = 2;

/** Undefined where no form can be made of it: it is written as JSON then. */
export function fieldsOf(schema: JsonSchema | undefined, level = 1): readonly Field[] | undefined {
  if (!isMap(schema) || schema['type'] !== 'object' || !isMap(schema['properties'])) return undefined;
  if (['$ref', 'anyOf', 'oneOf', 'allOf', 'if'].some((key) => key in schema)) return undefined;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(schema['properties']).map(([name, one]): Field => {
    const of = isMap(one) ? one : {};
    const what = kindOf(of, level);
    const description = of['description'];
    return {
      name,
      required: required.includes(name),
      says: saysOf(of, what),
      ...(typeof description === 'string' && { help: description }),
      initial: 'default' in of ? of['default'] : what.kind === 'object' ? {} : undefined,
      what,
    };
  });
}

function kindOf(schema: SchemaMap, level: number): FieldKind {
  const { const: only, enum: choices = only === undefined ? undefined : [only], type } = schema;
  if (Array.isArray(choices) && choices.length > 0 && choices.every((one) => typeof one === 'string'))
    return { kind: 'choice', of: choices };
  if (type === 'string')
    return {
      kind: 'text',
      long:
        Number(schema['minLength'] ?? 0) >= 10 ||
        (schema['maxLength'] === undefined && schema['pattern'] === undefined && schema['format'] === undefined),
    };
  if (type === 'number' || type === 'integer') return { kind: 'number' };
  if (type === 'boolean') return { kind: 'boolean' };
  if (type === 'array' && isMap(schema['items'])) {
    const item = schema['items']['type'];
    if (item === 'string' && schema['items']['enum'] === undefined) return { kind: 'list', of: 'text' };
    if (item === 'number' || item === 'integer') return { kind: 'list', of: 'number' };
  }
  const fields = level < MOST_LEVELS ? fieldsOf(schema, level + 1) : undefined;
  return fields === undefined ? { kind: 'json' } : { kind: 'object', fields };
}

function saysOf(schema: SchemaMap, what: FieldKind): string {
  const words: string[] = [];
  const number = (key: string): number | undefined => (typeof schema[key] === 'number' ? schema[key] : undefined);
  const names = {
    text: 'text',
    number: 'number',
    boolean: 'yes or no',
    choice: '',
    list: 'one a line',
    object: '',
    json: 'JSON',
  };
  words.push(schema['type'] === 'integer' ? 'whole number' : names[what.kind]);
  const [above, least] = [number('exclusiveMinimum'), number('minimum')];
  const [below, most] = [number('exclusiveMaximum'), number('maximum')];
  if (above !== undefined) words.push(`more than ${above}`);
  if (least !== undefined) words.push(`at least ${least}`);
  if (below !== undefined) words.push(`less than ${below}`);
  if (most !== undefined) words.push(`at most ${most}`);
  const [shortest, longest] = [number('minLength'), number('maxLength')];
  if (shortest !== undefined && shortest > 1) words.push(`at least ${shortest} characters`);
  if (longest !== undefined) words.push(`at most ${longest} characters`);
  if (typeof schema['pattern'] === 'string') words.push(`like ${schema['pattern']}`);
  if (typeof schema['format'] === 'string') words.push(schema['format']);
  return words.filter((word) => word !== '').join(', ');
}

/** The words for the right value, by path. Undefined if the schema has no fields to speak of. */
export function schemaWords(schema: JsonSchema | undefined): ReadonlyMap<string, string> | undefined {
  const fields = fieldsOf(schema);
  return fields && new Map(fields.flatMap((field) => wordsOf(field, '')));
}

function wordsOf({ name, what, says, required }: Field, above: string): readonly (readonly [string, string])[] {
  const path = above + name;
  const choices = what.kind === 'choice' ? what.of.join(', ') : '';
  const own = [choices, what.kind === 'object' ? 'object' : says, required ? '' : 'optional'].filter(
    (word) => word !== '',
  );
  const below = what.kind === 'object' ? what.fields.flatMap((field) => wordsOf(field, `${path}.`)) : [];
  return [[path, own.join(', ')], ...below];
}
