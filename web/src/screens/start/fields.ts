// The fields of a form, from the schema of an agent's input. Pure. Text, number, boolean, a choice of a few, lists of
// those, and objects two levels deep have fields of their own; anything else is written as JSON.

import type { JsonSchema } from '../../../../src/kernel/schema.ts';

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
  /** What is right, in a few words: `number, more than 0`. */
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
  const { enum: choices, type } = schema;
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

export type Values = Readonly<Record<string, unknown>>;

export const initialValues = (fields: readonly Field[]): Values =>
  Object.fromEntries(
    fields.flatMap(({ name, initial, what }) => {
      const value = what.kind === 'object' ? initialValues(what.fields) : initial;
      return value === undefined ? [] : [[name, value]];
    }),
  );

/** What a field's text stands for. Undefined: it was left empty, so the key is left out. */
export function valueOf(text: string, what: FieldKind): unknown {
  if (text.trim() === '') return undefined;
  switch (what.kind) {
    case 'number':
      return Number.isNaN(Number(text)) ? text : Number(text);
    case 'list': {
      const items = text.split('\n').filter((line) => line.trim() !== '');
      return what.of === 'number' ? items.map((item) => (Number.isNaN(Number(item)) ? item : Number(item))) : items;
    }
    case 'json':
      try {
        return JSON.parse(text) as unknown;
      } catch {
        return text;
      }
    case 'text':
    case 'boolean':
    case 'choice':
    case 'object':
      return text;
  }
}

/** How a value is written in its field. */
export function writtenIn(value: unknown, what: FieldKind): string {
  if (value === undefined || value === null) return '';
  if (what.kind === 'list' && Array.isArray(value)) return value.join('\n');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The command that starts the same run. The shell takes the text between single quotes as it is. */
export const startCommand = (agent: string, input: unknown): string =>
  `cadre run ${agent} '${(typeof input === 'string' ? input : JSON.stringify(input)).replaceAll("'", `'\\''`)}'`;
