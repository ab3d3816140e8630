// A schema in its place: which document its references point into, which draft it is written in, and on which side of the edge it
// stands. Reads keywords by own property and by the type they must have; a keyword of the wrong type reads as no constraint, and
// misread.ts keeps a proof from resting on that.
import type { JsonSchema } from '../../kernel/schema.ts';
import { canonical, isObject, own, type JsonObject } from './json.ts';

export type Side = 'upstream' | 'downstream';
export type Dialect = 'draft-07' | '2020-12';

export interface Resource {
  readonly document: JsonSchema;
  readonly dialect: Dialect;
  readonly side: Side;
}

export interface Located<Schema extends JsonSchema = JsonSchema> {
  readonly schema: Schema;
  readonly resource: Resource;
}

export type LocatedObject = Located<JsonObject>;

export function locateDocument(document: JsonSchema, side: Side): Resource {
  return { document, dialect: dialectOf(document) ?? '2020-12', side };
}

/** A subschema with an `$id` of its own is a document of its own. */
export function locate(schema: JsonSchema, within: Resource): Located {
  if (!isObject(schema) || schema === within.document || !isEmbeddedDocument(schema))
    return { schema, resource: within };
  return { schema, resource: { document: schema, dialect: dialectOf(schema) ?? within.dialect, side: within.side } };
}

export function isObjectSchema(located: Located): located is LocatedObject {
  return typeof located.schema !== 'boolean';
}

function isEmbeddedDocument(schema: JsonObject): boolean {
  const id = own(schema, '$id');
  return typeof id === 'string' && !id.startsWith('#');
}

function dialectOf(document: JsonSchema): Dialect | undefined {
  const declared = isObject(document) ? own(document, '$schema') : undefined;
  if (typeof declared !== 'string') return undefined;
  return /draft-0[3-7]/.test(declared) ? 'draft-07' : '2020-12';
}

/** Follows a pointer inside its own document. Undefined: an anchor, another document, or nothing there. */
export function resolve(reference: string, resource: Resource): Located | undefined {
  if (reference === '#' || reference === '') return locate(resource.document, resource);
  if (!reference.startsWith('#/')) return undefined;
  let here: unknown = resource.document;
  for (const part of pointerParts(reference)) {
    if (isObject(here) && here !== resource.document && isEmbeddedDocument(here)) return undefined;
    if (Array.isArray(here)) here = /^\d+$/.test(part) ? here[Number(part)] : undefined;
    else here = isObject(here) ? own(here, part) : undefined;
  }
  return isSchema(here) ? locate(here, resource) : undefined;
}

function pointerParts(reference: string): readonly string[] {
  const parts = reference.slice(2).split('/');
  return parts.map((part) => decode(part).replaceAll('~1', '/').replaceAll('~0', '~'));
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

const since2019 = new Set([
  'prefixItems',
  'dependentRequired',
  'dependentSchemas',
  'unevaluatedItems',
  'unevaluatedProperties',
  'minContains',
  'maxContains',
  '$dynamicRef',
  '$recursiveRef',
]);

/** The keyword's value, where the draft knows the keyword. */
export function keyword(located: LocatedObject, name: string): unknown {
  return located.resource.dialect === 'draft-07' && since2019.has(name) ? undefined : own(located.schema, name);
}

export function numberAt(located: LocatedObject, name: string): number | undefined {
  const value = keyword(located, name);
  return typeof value === 'number' ? value : undefined;
}

export function textAt(located: LocatedObject, name: string): string | undefined {
  const value = keyword(located, name);
  return typeof value === 'string' ? value : undefined;
}

export function listAt(located: LocatedObject, name: string): readonly unknown[] | undefined {
  const value = keyword(located, name);
  return Array.isArray(value) ? value : undefined;
}

export function textsAt(located: LocatedObject, name: string): readonly string[] {
  return (listAt(located, name) ?? []).filter((item): item is string => typeof item === 'string');
}

export function schemaAt(located: LocatedObject, name: string): Located | undefined {
  const value = keyword(located, name);
  return isSchema(value) ? locate(value, located.resource) : undefined;
}

export function schemasAt(located: LocatedObject, name: string): readonly Located[] {
  return (listAt(located, name) ?? []).map((schema) => locate(isSchema(schema) ? schema : true, located.resource));
}

const noSchemas: ReadonlyMap<string, Located> = new Map();
const schemaMaps = new WeakMap<object, ReadonlyMap<string, Located>>();

/** A map of schemas, by own key. */
export function schemaMapAt(located: LocatedObject, name: string): ReadonlyMap<string, Located> {
  const value = keyword(located, name);
  if (!isObject(value)) return noSchemas;
  const known = schemaMaps.get(value);
  if (known !== undefined) return known;
  const map = new Map(
    Object.entries(value).map(([key, schema]) => [key, locate(isSchema(schema) ? schema : true, located.resource)]),
  );
  schemaMaps.set(value, map);
  return map;
}

export function isSchema(value: unknown): value is JsonSchema {
  return typeof value === 'boolean' || isObject(value);
}

const inPlaceApplicators = [
  '$ref',
  '$dynamicRef',
  '$recursiveRef',
  'allOf',
  'anyOf',
  'oneOf',
  'if',
  'then',
  'else',
  'not',
  'dependentSchemas',
  'dependencies',
];

/** Whether other schemas look at the same value, so that "unevaluated" is more than this schema alone can tell. */
export function hasInPlaceApplicator(located: LocatedObject): boolean {
  return inPlaceApplicators.some((name) => keyword(located, name) !== undefined);
}

const identities = new WeakMap<object, number>();
let identitiesGiven = 0;

function identity(schema: JsonSchema): string {
  if (typeof schema === 'boolean') return String(schema);
  let known = identities.get(schema);
  if (known === undefined) {
    identitiesGiven += 1;
    known = identitiesGiven;
    identities.set(schema, known);
  }
  return String(known);
}

/** The same for the same schema in the same place, and for nothing else. */
export function locationKey({ schema, resource }: Located): string {
  return `${resource.side[0]}${resource.dialect[0]}${identity(resource.document)}.${identity(schema)}`;
}

/** Whether both are the same text and so surely mean the same: no reference, or references into equal documents. */
export function isSameSchema(one: Located, other: Located): boolean {
  if (one.resource.dialect !== other.resource.dialect) return false;
  const text = canonical(one.schema);
  if (text !== canonical(other.schema)) return false;
  if (!/"\$(ref|dynamicRef|recursiveRef|id)"/.test(text)) return true;
  const document = canonical(one.resource.document);
  return (
    document === canonical(other.resource.document) &&
    (document === text || !/"\$(dynamicRef|recursiveRef)"/.test(text))
  );
}
