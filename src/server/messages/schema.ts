// The schemas of messages: schemas of zod whose type, JSON Schema and part of the OpenAPI document come from one
// declaration.
// MESSAGE-1. Requests are checked by the JSON Schema, in the words in which agents' inputs are refused, so a schema
//     says only what JSON Schema can say: no transform and no refinement.

import { z } from 'zod';
import type { JsonObject } from '../../base/text/json.ts';
import type { JsonSchema } from '../../kernel/schema.ts';
import type { ApiMessage } from './message.ts';

type MessageKeys = Readonly<Record<string, z.ZodType>>;

const components = z.registry<{ readonly id: string }>();

/** A component of the OpenAPI document. */
export function message<Schema extends z.ZodType>(id: string, schema: Schema): ApiMessage<z.output<Schema>> {
  components.add(schema, { id });
  return schema as ApiMessage<z.output<Schema>>;
}

/** A message as a part of another one. */
export const part = <Value>(of: ApiMessage<Value>): z.ZodType<Value> => of as z.ZodType<Value>;

/** The keys of a request: it may have no others. */
export const exactObject = <Keys extends MessageKeys>(keys: Keys) => z.strictObject(keys).readonly();

/** The keys of an answer: it may gain some. */
export const openObject = <Keys extends MessageKeys>(keys: Keys) => z.object(keys).readonly();

export const arrayOf = <Item extends z.ZodType>(item: Item, least = 0, most = Infinity) => {
  const any = z.array(item);
  const long = least > 0 ? any.min(least) : any;
  return (most < Infinity ? long.max(most) : long).readonly();
};

export const mapOf = <Item extends z.ZodType>(item: Item) => z.record(z.string(), item).readonly();

/** A value that another room declares, and that is described here in words. */
export const declaredAs = <Value>(json: z.GlobalMeta = { type: 'object' }): z.ZodType<Value> =>
  z.custom<Value>().meta(json);

/** A value that another room declares, with the keys that clients may rely on: the compiler compares both. */
export const declaredKeys =
  <Value>() =>
  <Keys extends MessageKeys>(
    keys: Value extends z.output<z.ZodObject<Keys>> ? Keys : never,
  ): z.ZodType<Readonly<Value>> =>
    z.object(keys) as unknown as z.ZodType<Readonly<Value>>;

const made = new WeakMap<object, JsonObject>();

/** One object for each schema, because checks are compiled for an object once. */
export function messageSchema(of: ApiMessage<unknown>): JsonObject {
  const schema = made.get(of) ?? plain(z.toJSONSchema(of as z.ZodType, WRITING));
  made.set(of, schema);
  return schema;
}

/** Every message by its name. Messages within messages are references. */
export function componentSchemas(): Readonly<Record<string, JsonSchema>> {
  const { schemas } = z.toJSONSchema(components, { ...WRITING, uri: componentAt });
  const byName = Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(byName.map(([id, schema]) => [id, plain(schema)]));
}

/** The document around it says which revision it is of. */
const plain = (written: object): JsonObject =>
  Object.fromEntries(Object.entries(written).filter(([key]) => key !== '$schema' && key !== '$id'));

/** The schema as the OpenAPI document names it: a message by reference, anything else in place. */
export function referenceTo(of: ApiMessage<unknown>): JsonSchema {
  const { id } = components.get(of as z.ZodType) ?? {};
  return id === undefined ? messageSchema(of) : { $ref: componentAt(id) };
}

const componentAt = (id: string): string => `#/components/schemas/${id}`;

/** Leaves out what says nothing of JSON: how a value is held in TypeScript, and how large a number of it may be. */
const WRITING = {
  io: 'input',
  unrepresentable: 'any',
  override({ jsonSchema: written }) {
    delete written.readOnly;
    delete written.propertyNames;
    if (written.maximum === Number.MAX_SAFE_INTEGER) delete written.maximum;
    if (written.minimum === Number.MIN_SAFE_INTEGER) delete written.minimum;
  },
} as const satisfies Parameters<typeof z.toJSONSchema>[1];

/** The fields of an address or of headers. */
export type RequestFields = Readonly<Record<string, z.ZodType<string | number | boolean | undefined>>>;
export type FieldValues<Of extends RequestFields> = z.output<z.ZodObject<Of>>;

export const isRequired = (field: z.ZodType): boolean => !z.object({ field }).safeParse({}).success;
