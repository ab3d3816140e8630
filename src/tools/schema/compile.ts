// From a schema to a validator, or to the reason why there is none.

import { createRequire } from 'node:module';
import type { Ajv, Options, ValidateFunction } from 'ajv';
import type { Violation } from '../../kernel/schema.ts';
import { regExp, riskyPattern } from './patterns.ts';
import { violationsOf } from './violations.ts';

export type Compiled =
  | { readonly kind: 'unusable'; readonly reason: string }
  | {
      /** `slow`: somebody who chooses schema and value can make the check take very long. */
      readonly kind: 'quick' | 'slow';
      readonly validate: ValidateFunction;
    };

type Dialect = '2020-12' | 'draft-07';
type SchemaObject = { readonly [key: string]: unknown };

const maxSchemaLength = 1024 * 1024;
const require = createRequire(import.meta.url);
const shared: Partial<Record<Dialect, { readonly ajv: Ajv; uses: number }>> = {};
/** An Ajv keeps something of each schema it has seen; after so many it is replaced. */
const maxUses = 500;

export function compile(schema: SchemaObject): Compiled {
  const text = asText(schema);
  if (text === undefined) return unusable('its schema is not JSON');
  if (text.length > maxSchemaLength) return unusable(`its schema is longer than ${maxSchemaLength} characters`);
  const tried = dialectsOf(schema).map((dialect) => compileWith(dialect, schema, text));
  return tried.find((made) => made.kind !== 'unusable') ?? tried[0] ?? unusable('its dialect is not known');
}

/** What the schema of schemas says against it, with the places in the schema. */
export function misuse(schema: SchemaObject): readonly Violation[] {
  const tried = dialectsOf(schema).map((dialect) => {
    const ajv = sharedAjv(dialect);
    return ajv.validateSchema(withoutDialect(schema)) === true ? [] : violationsOf(ajv.errors, schema);
  });
  return tried.find((violations) => violations.length === 0) ?? tried[0] ?? [];
}

/** A schema that names no dialect is read as 2020-12, or as draft 7 where it can only be that. */
function dialectsOf({ $schema: dialect }: SchemaObject): readonly Dialect[] {
  if (dialect === undefined) return ['2020-12', 'draft-07'];
  return [typeof dialect === 'string' && /draft-0[67]/.test(dialect) ? 'draft-07' : '2020-12'];
}

function compileWith(dialect: Dialect, schema: SchemaObject, text: string): Compiled {
  const hasIds = /"\$(id|anchor|dynamicAnchor)"/.test(text);
  const ajv = hasIds ? openAjv(dialect) : sharedAjv(dialect);
  const checked = withoutDialect(schema);
  try {
    const validate = ajv.compile(checked);
    return { kind: mayBeSlow(schema) ? 'slow' : 'quick', validate };
  } catch (thrown) {
    // Ajv throws plain errors for whatever is wrong with a schema; their messages say what it is.
    return unusable(`its schema is not usable: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  } finally {
    if (!hasIds) ajv.removeSchema(checked);
  }
}

/** Only for schemas without ids, which it would remember: they could name what others refer to. */
function sharedAjv(dialect: Dialect): Ajv {
  const open = shared[dialect];
  const usable = open !== undefined && open.uses < maxUses ? open : { ajv: openAjv(dialect), uses: 0 };
  usable.uses++;
  shared[dialect] = usable;
  return usable.ajv;
}

function openAjv(dialect: Dialect): Ajv {
  const options: Options = {
    allErrors: true,
    verbose: true,
    strict: false,
    logger: false,
    // Keys of a prototype are no properties of a value.
    ownProperties: true,
    validateSchema: false,
    code: { regExp },
  };
  const module = dialect === 'draft-07' ? 'ajv' : 'ajv/dist/2020.js';
  const ajv = new (load<{ default: new (options: Options) => Ajv }>(module).default)(options);
  load<{ default: (ajv: Ajv) => void }>('ajv-formats').default(ajv);
  return ajv;
}

const load = <Module>(name: string): Module => require(name) as Module;

/** The dialect is chosen here; Ajv would look up a schema of that name. */
function withoutDialect(schema: SchemaObject): SchemaObject {
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** Undefined for what a program may hand in and JSON cannot say: cycles, big integers. */
function asText(schema: SchemaObject): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch (thrown) {
    if (thrown instanceof TypeError || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

function mayBeSlow(schema: unknown): boolean {
  if (typeof schema !== 'object' || schema === null) return false;
  return Object.entries(schema).some(([key, value]) => {
    if (key === 'uniqueItems') return value === true;
    if (key === 'pattern' && typeof value === 'string') return riskyPattern(value);
    if (key === 'patternProperties' && typeof value === 'object' && value !== null) {
      return Object.keys(value).some(riskyPattern) || mayBeSlow(value);
    }
    return mayBeSlow(value);
  });
}

const unusable = (reason: string): Compiled => ({ kind: 'unusable', reason });
