// The values of a property that a schema closes: a constant, a list of values, or a flag.

import type { JsonSchema } from '../../kernel/schema.ts';
import { propertySchema, requiresProperty } from '../looked-at.ts';

export type ClosedValue = string | number | boolean;

type ClosedValues =
  | { readonly kind: 'closed'; readonly values: readonly ClosedValue[] }
  /** `why` follows the name of the property. */
  | { readonly kind: 'open'; readonly why: string };

export function closedValues(schema: JsonSchema, by: string): ClosedValues {
  const property = propertySchema(schema, by);
  if (property === undefined) return open('is not described under properties');
  if (!requiresProperty(schema, by)) return open('is not required, so an answer may do without it');
  const listed = listedIn(property);
  if (listed === undefined) return open('is not closed: its values are not listed');
  const odd = listed.find((value) => !isClosedValue(value));
  if (odd !== undefined)
    return open(`may be ${JSON.stringify(odd)}, and a case is a text, a whole number, true or false`);
  const values = listed as readonly ClosedValue[];
  const texts = new Map<string, ClosedValue>();
  for (const value of values) {
    const other = texts.get(String(value));
    if (other !== undefined && other !== value)
      return open(`may be ${JSON.stringify(other)} and ${JSON.stringify(value)}, which are one text`);
    texts.set(String(value), value);
  }
  return { kind: 'closed', values: [...texts.values()] };
}

const open = (why: string): ClosedValues => ({ kind: 'open', why });

function listedIn(property: JsonSchema): readonly unknown[] | undefined {
  if (typeof property !== 'object') return undefined;
  if (Object.hasOwn(property, 'const')) return [property['const']];
  const values = property['enum'];
  if (Array.isArray(values) && values.length > 0) return values;
  return property['type'] === 'boolean' ? [true, false] : undefined;
}

const isClosedValue = (value: unknown): value is ClosedValue =>
  typeof value === 'string' || typeof value === 'boolean' || (typeof value === 'number' && Number.isInteger(value));

/** The schema, for answers in which the property has one of these values. */
export function narrowedTo(schema: JsonSchema, by: string, values: readonly ClosedValue[]): JsonSchema {
  if (typeof schema !== 'object') return schema;
  const properties = schema['properties'] as Readonly<Record<string, JsonSchema>>;
  return { ...schema, properties: { ...properties, [by]: { enum: values } } };
}

/** True for answers in which the property has one of these values. */
export const valueIsIn = (by: string, values: readonly ClosedValue[]): JsonSchema => ({
  properties: Object.fromEntries([[by, { enum: values }]]),
  required: [by],
});
