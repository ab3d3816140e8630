// Makes a validator from a schema, or says why it cannot.

import type { Ajv, Options, ValidateFunction } from 'ajv';
import { addFormats, type Dialect, newAjv } from '../../base/schema/ajv.ts';
import { oversizeProblem } from '../../base/schema/limits.ts';
import type { JsonObject } from '../../base/text/json.ts';
import type { Violation } from '../../kernel/schema.ts';
import { addCounting, withCounting } from './counted.ts';
import { addLinearFormats } from './formats.ts';
import { regExp } from './patterns.ts';
import { violationsOf } from './violations.ts';

export type CompiledSchema =
  | { readonly kind: 'unusable'; readonly reason: string }
  | { readonly kind: 'usable'; readonly validate: ValidateFunction };

const shared: Partial<Record<Dialect, { readonly ajv: Ajv; uses: number }>> = {};
/** An Ajv keeps something of each schema it has seen, so it is replaced after this many. */
const maxUses = 500;

/** Not timed: `oversized` bounds how long it takes. */
export function compile(schema: JsonObject): CompiledSchema {
  const tooLarge = oversizeProblem(schema);
  if (tooLarge !== undefined) return unusable(tooLarge);
  const text = asText(schema);
  if (text === undefined) return unusable('its schema is not JSON');
  const tried = dialectsOf(schema).map((dialect) => compileWith(dialect, schema, text));
  return tried.find((made) => made.kind !== 'unusable') ?? tried[0] ?? unusable('its dialect is not known');
}

/** The reasons why the meta-schema refuses it, with the places in the schema. Throws `StepsSpent` and `TooMuchWork`. */
export function misuse(schema: JsonObject): readonly Violation[] {
  if (oversizeProblem(schema) !== undefined) return [];
  const tried = dialectsOf(schema).map((dialect) => {
    const ajv = sharedAjv(dialect);
    return ajv.validateSchema(withoutDialect(schema)) === true ? [] : violationsOf(ajv.errors, schema);
  });
  return tried.find((violations) => violations.length === 0) ?? tried[0] ?? [];
}

/** A schema that names no dialect is read as 2020-12, or as draft 7 where it is valid only there. */
function dialectsOf({ $schema: dialect }: JsonObject): readonly Dialect[] {
  if (dialect === undefined) return ['2020-12', 'draft-07'];
  return [typeof dialect === 'string' && /draft-0[67]/.test(dialect) ? 'draft-07' : '2020-12'];
}

function compileWith(dialect: Dialect, schema: JsonObject, text: string): CompiledSchema {
  const hasIds = /"\$(id|anchor|dynamicAnchor)"/.test(text);
  const ajv = hasIds ? openAjv(dialect) : sharedAjv(dialect);
  const checked = withCounting(withoutDialect(schema)) as JsonObject;
  try {
    const validate = ajv.compile(checked);
    return { kind: 'usable', validate };
  } catch (thrown) {
    // Ajv throws plain errors for whatever is wrong with a schema; their messages say what it is.
    return unusable(`its schema is not usable: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
  } finally {
    if (!hasIds) ajv.removeSchema(checked);
  }
}

/** Only for schemas without ids: it would remember an id, which other schemas may refer to. */
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
    // Inherited keys are not properties of a value.
    ownProperties: true,
    validateSchema: false,
    // Otherwise a schema that is referred to a thousand times would be compiled a thousand times.
    inlineRefs: false,
    code: { regExp, optimize: false },
  };
  const ajv = newAjv(dialect, options);
  addFormats(ajv);
  addLinearFormats(ajv);
  addCounting(ajv);
  return ajv;
}

/** The dialect is chosen here; Ajv would look up a schema of that name. */
function withoutDialect(schema: JsonObject): JsonObject {
  const { $schema: _, ...rest } = schema;
  return rest;
}

/** Undefined for what a program may hand in but JSON cannot hold: cycles, big integers. */
function asText(schema: JsonObject): string | undefined {
  try {
    return JSON.stringify(schema);
  } catch (thrown) {
    if (thrown instanceof TypeError || thrown instanceof RangeError) return undefined;
    throw thrown;
  }
}

const unusable = (reason: string): CompiledSchema => ({ kind: 'unusable', reason });
