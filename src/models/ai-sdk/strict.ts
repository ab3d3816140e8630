// Decides if a provider can enforce a schema while the model writes. It is careful: a schema wrongly called strict is
// refused by the provider, but one wrongly called loose is still checked by the session.

import type { JsonSchema } from '../../kernel/schema.ts';

const UNDERSTOOD = new Set([
  'type',
  'properties',
  'required',
  'additionalProperties',
  'items',
  'enum',
  'const',
  'anyOf',
  'description',
  'title',
  '$defs',
  '$ref',
]);

export function isStrict(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return false;
  if (Object.keys(schema).some((key) => !UNDERSTOOD.has(key))) return false;
  return isClosed(schema) && partsOf(schema).every(isStrict);
}

/** An object must name all of its properties, require each, and allow no other. */
function isClosed(schema: Exclude<JsonSchema, boolean>): boolean {
  const isObject = schema['type'] === 'object' || 'properties' in schema;
  if (!isObject) return true;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const names = Object.keys((schema['properties'] ?? {}) as object);
  return schema['additionalProperties'] === false && names.every((name) => required.includes(name));
}

function partsOf(schema: Exclude<JsonSchema, boolean>): readonly JsonSchema[] {
  const lists = [schema['properties'], schema['$defs']].flatMap((map) => Object.values((map ?? {}) as object));
  const items = schema['items'] === undefined ? [] : [schema['items']];
  const choices = Array.isArray(schema['anyOf']) ? schema['anyOf'] : [];
  return [...lists, ...items, ...choices] as readonly JsonSchema[];
}
