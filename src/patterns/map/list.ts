// The list that a map goes through: where it stands in an answer, what the schema of the answer says of it, and the
// contract that keeps it short enough.

import type { JsonObject } from '../../base/text/json.ts';
import type { JsonSchema, OutputContract } from '../../kernel/schema.ts';
import { isJsonObject, schemaWithin } from '../../kernel/schema-parts.ts';
import { embedSchema } from '../embed-schema.ts';

/** Stands for the answer itself. */
export const WHOLE = '$';

/** The largest number of items that any map may have. */
export const MOST_ITEMS = 1000;

/** A list as the schema of an answer describes it. */
export interface DescribedList {
  readonly kind: 'list';
  readonly item: JsonSchema;
  readonly maxItems: number | undefined;
}

export function describedList(
  answer: JsonSchema,
  each: string,
):
  | DescribedList
  | {
      readonly kind: 'no-list';
      readonly why: string;
    } {
  const found = each === WHOLE ? answer : propertyOf(answer, each);
  if (found === undefined) return { kind: 'no-list', why: 'is no property that the schema describes' };
  if (each !== WHOLE && !isRequired(answer, each))
    return { kind: 'no-list', why: 'may be missing: it is not required' };
  const list = resolved(found, answer);
  if (typeof list !== 'object' || !isArray(list['type'])) return { kind: 'no-list', why: 'is no list by the schema' };
  const { items, maxItems } = list;
  return {
    kind: 'list',
    item: isSchema(items) ? standingAlone(items, answer) : true,
    maxItems: typeof maxItems === 'number' ? maxItems : undefined,
  };
}

const isArray = (type: unknown): boolean => type === 'array' || (Array.isArray(type) && type.join() === 'array');

const isSchema = (value: unknown): value is JsonSchema => typeof value === 'boolean' || isJsonObject(value);

function propertyOf(schema: JsonSchema, name: string): JsonSchema | undefined {
  const whole = resolved(schema, schema);
  const properties = typeof whole === 'object' ? whole['properties'] : undefined;
  const found = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isSchema(found) ? found : undefined;
}

function isRequired(schema: JsonSchema, name: string): boolean {
  const whole = resolved(schema, schema);
  const required = typeof whole === 'object' ? whole['required'] : undefined;
  return Array.isArray(required) && required.includes(name);
}

/** References lead to references at times; a circle of them leads nowhere. */
const MOST_REFS = 20;

function resolved(schema: JsonSchema, root: JsonSchema): JsonSchema {
  let at: unknown = schema;
  for (let step = 0; step < MOST_REFS && isJsonObject(at) && typeof at['$ref'] === 'string'; step++)
    at = pointedAt(at['$ref'], root);
  return isSchema(at) ? at : true;
}

function pointedAt(ref: string, root: JsonSchema): unknown {
  if (ref !== '#' && !ref.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of ref.split('/').slice(1)) {
    const name = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    at = (isJsonObject(at) || Array.isArray(at)) && Object.hasOwn(at, name) ? (at as never)[name] : undefined;
  }
  return at;
}

/** A part of a schema with what it refers to. */
function standingAlone(part: JsonSchema, root: JsonSchema): JsonSchema {
  if (typeof part !== 'object' || !JSON.stringify(part).includes('"$ref"')) return part;
  return { ...(schemaWithin(PLACE, part) as object), $defs: { answer: schemaWithin(PLACE, root) } };
}

const PLACE = '#/$defs/answer';

/** The contract with the largest number of items, and with what the worker takes. */
export function heldTo(
  own: OutputContract,
  {
    each,
    max,
    item,
  }: {
    readonly each: string;
    readonly max: number | undefined;
    /** Every item has to satisfy this too: the input of the worker. */
    readonly item: JsonSchema | undefined;
  },
): OutputContract {
  const { schema } = own;
  const described = schema === undefined ? undefined : describedList(schema, each);
  if (typeof schema !== 'object' || described?.kind !== 'list') return own;
  const maxItems = Math.min(max ?? MOST_ITEMS, described.maxItems ?? MOST_ITEMS);
  const taken = JSON.stringify(item) === JSON.stringify(described.item) ? undefined : item;
  const whole = inline(schema, schema);
  if (each === WHOLE) return { ...own, schema: narrowed(whole, '', maxItems, taken) };
  const place = `/properties/${each.replaceAll('~', '~0').replaceAll('/', '~1')}`;
  const properties = Object.entries(whole['properties'] as Readonly<Record<string, JsonSchema>>).map(([name, one]) =>
    name === each ? [name, narrowed(inline(one, schema), place, maxItems, taken)] : [name, one],
  );
  return { ...own, schema: { ...whole, properties: Object.fromEntries(properties) } };
}

/** The schema with what it refers to in its own place. */
function inline(schema: JsonSchema, root: JsonSchema): JsonObject {
  const { $ref: _, ...rest } = schema as JsonObject;
  return { ...rest, ...(resolved(schema, root) as JsonObject) };
}

function narrowed(list: JsonObject, place: string, maxItems: number, item: JsonSchema | undefined): JsonObject {
  if (item === undefined) return { ...list, maxItems };
  const before = Array.isArray(list['allOf']) ? list['allOf'] : [];
  const items = embedSchema(item, `${place}/allOf/${before.length}/items`);
  return { ...list, maxItems, allOf: [...before, { items }] };
}

/** The list in an answer. Undefined: there is none. */
export function listIn(answer: unknown, each: string): readonly unknown[] | undefined {
  const found =
    each === WHOLE ? answer : isJsonObject(answer) && Object.hasOwn(answer, each) ? answer[each] : undefined;
  return Array.isArray(found) ? found : undefined;
}
