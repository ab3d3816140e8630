// The check that the kernel gets: Ajv for draft 2020-12, or draft 7 where the schema says so or is valid only there.
// SCHEMA-1. Ajv takes some 50 ms to load, so it is loaded for the first value that is not plainly valid, and a
//           validator is compiled once for each schema object.
// SCHEMA-2. Schemas come from agent files, MCP servers and callers. They are capped in bytes, depth and number, and the
//           work of a check is counted: patterns and formats are matched in one pass, because the engine of the
//           language can neither be trusted with them nor be stopped, and each schema within a schema takes a step.
//           Nothing is timed, so that a busy machine changes no answer. What cannot be checked is a violation, never a
//           pass.

import { StepsSpent } from '../base/schema/linear-pattern.ts';
import { isPlainSchema } from '../base/schema/plain.ts';
import { isTooDeep, TOO_DEEP } from '../base/text/json.ts';
import type { JsonSchema, SchemaCheck, Violation } from '../kernel/schema.ts';
import { type CompiledSchema, compile, misuse } from './schema/compile.ts';
import { schemaSteps, TooMuchWork } from './schema/counted.ts';
import { checkSteps } from './schema/patterns.ts';
import { plainlyValid } from './schema/plainly-valid.ts';
import { violationsOf } from './schema/violations.ts';

const none: readonly Violation[] = [];
/** Steps of all patterns and formats in one check, and of all schemas in it: about a tenth of a second each. */
const patternSteps = 5_000_000;
const valueSteps = 1_000_000;
const compiled = new WeakMap<object, CompiledSchema>();

export const schemaCheck: SchemaCheck = (schema, value) => {
  if (schema === true) return none;
  if (schema === false) return at('$', 'must not be given at all');
  const known = compiled.get(schema);
  if (known === undefined && plainlyValid(schema, value)) return none;
  return run(known ?? remember(schema), value);
};

/** Can values be checked against it at all? Quicker than `inputSchemaProblems`, which says what is wrong. */
export const isUsableSchema = (schema: JsonSchema): boolean =>
  typeof schema === 'boolean' ||
  (compiled.get(schema) === undefined && isPlainSchema(schema)) ||
  (compiled.get(schema) ?? remember(schema)).kind !== 'unusable';

/** The mistakes in the schema itself; none for one that values can be checked against. */
export function inputSchemaProblems(schema: JsonSchema): readonly Violation[] {
  if (typeof schema === 'boolean') return none;
  const made = compiled.get(schema) ?? remember(schema);
  const misused = within(() => misuse(schema));
  return misused.length === 0 && made.kind === 'unusable' ? at('$', made.reason) : misused;
}

function remember(schema: object & JsonSchema): CompiledSchema {
  const made = compile(schema);
  compiled.set(schema, made);
  return made;
}

function run(made: CompiledSchema, value: unknown): readonly Violation[] {
  if (made.kind === 'unusable') return at('$', `cannot be checked: ${made.reason}`);
  if (isTooDeep(value)) return at('$', TOO_DEEP);
  const { validate } = made;
  return within(() => (validate(value) ? none : violationsOf(validate.errors, value)));
}

/** SCHEMA-2. */
function within(check: () => readonly Violation[]): readonly Violation[] {
  checkSteps.left = patternSteps;
  schemaSteps.left = valueSteps;
  try {
    return check();
  } catch (thrown) {
    if (thrown instanceof StepsSpent) return at('$', `cannot be checked: ${thrown.message}`);
    if (thrown instanceof TooMuchWork)
      return at('$', 'cannot be checked: its schema asks too much of a value this large');
    if (thrown instanceof RangeError) return at('$', 'cannot be checked: its schema refers to itself without end');
    throw thrown;
  }
}

const at = (path: string, message: string): readonly Violation[] => [{ path, message }];
