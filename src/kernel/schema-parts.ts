// The parts of a JSON Schema, and what changes in it when it becomes a part of another one.

import type { JsonObject } from '../base/text/json.ts';
import type { JsonSchema } from './schema.ts';

/** Keywords that hold values. */
const DATA: ReadonlySet<string> = new Set([
  'enum',
  'const',
  'default',
  'examples',
  'required',
  'dependentRequired',
  'type',
]);
/** Keywords that hold schemas by name. */
export const MAPS: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependencies',
]);

/** Its entries, each part that may be a schema changed. What is not data may be one that something refers to. */
export function changedParts(
  schema: JsonObject,
  change: (part: unknown) => unknown,
): readonly (readonly [string, unknown])[] {
  return Object.entries(schema).map(([key, value]) => {
    if (DATA.has(key)) return [key, value];
    if (!MAPS.has(key) || !isJsonObject(value)) return [key, change(value)];
    return [key, Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(inner)]))];
  });
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A schema as it stands in another one, at `place`: `#/properties/input`. What it refers to in itself is found there. */
export const schemaWithin = (place: string, schema: JsonSchema): JsonSchema =>
  withRefs(schema, (ref) => (ref === '#' || ref.startsWith('#/') ? place + ref.slice(1) : ref));

/**
 * An object schema that further properties may be added to. A part that is the whole again, as in a tree, would ask for
 * them too: it refers to the schema as it was.
 */
export function extensible(schema: JsonObject): JsonObject {
  const defs = isJsonObject(schema['$defs']) ? schema['$defs'] : {};
  let name = 'whole';
  while (Object.hasOwn(defs, name)) name += '_';
  let isRecursive = false;
  const own = withRefs(schema, (ref) => {
    if (ref !== '#') return ref;
    isRecursive = true;
    return `#/$defs/${name}`;
  }) as JsonObject;
  if (!isRecursive) return schema;
  const { $defs: all, ...whole } = own;
  return { ...own, $defs: { ...(all as object), [name]: whole } };
}

/** The schema with other references. One with an `$id` is a schema of its own: what it refers to stays where it is. */
function withRefs(schema: JsonSchema, change: (ref: string) => string): JsonSchema {
  const changed = (part: unknown): unknown => {
    if (Array.isArray(part)) return part.map(changed);
    if (!isJsonObject(part) || typeof part['$id'] === 'string') return part;
    const { $ref } = part;
    const rest = Object.fromEntries(changedParts(part, changed));
    return typeof $ref === 'string' ? { ...rest, $ref: change($ref) } : rest;
  };
  return changed(schema) as JsonSchema;
}
