// The check that the kernel is handed: Ajv for draft 2020-12, and draft 7 where the schema says so or is only that.
// S1. Ajv takes some 50 ms to load, so it is loaded for the first value that is not plainly valid, and a validator is
//     compiled once for each schema object.
// S2. Schemas come from agent files, MCP servers and callers. What they can make slow (patterns, `uniqueItems`) is
//     capped in size and ended after a while; what cannot be checked is a violation, never a pass.

import type { JsonSchema, SchemaCheck, Violation } from '../kernel/schema.ts';
import { interruptible } from './interruptible.ts';
import { type Compiled, compile, misuse } from './schema/compile.ts';
import { PatternTooLong } from './schema/patterns.ts';
import { plainlyValid } from './schema/plainly-valid.ts';
import { violationsOf } from './schema/violations.ts';

const none: readonly Violation[] = [];
const slowCheckMilliseconds = 250;
const compiled = new WeakMap<object, Compiled>();

export const schemaCheck: SchemaCheck = (schema, value) => {
  if (schema === true) return none;
  if (schema === false) return at('$', 'must not be given at all');
  const known = compiled.get(schema);
  if (known === undefined && plainlyValid(schema, value)) return none;
  return run(known ?? remember(schema), value);
};

/** Can values be checked against it at all? Quicker than `schemaProblems`, which says what is wrong. */
export const isUsableSchema = (schema: JsonSchema): boolean =>
  typeof schema === 'boolean' || (compiled.get(schema) ?? remember(schema)).kind !== 'unusable';

/** What is wrong with the schema itself; nothing for one that values can be checked against. */
export function schemaProblems(schema: JsonSchema): readonly Violation[] {
  if (typeof schema === 'boolean') return none;
  const made = compiled.get(schema) ?? remember(schema);
  const misused = misuse(schema);
  return misused.length === 0 && made.kind === 'unusable' ? at('$', made.reason) : misused;
}

function remember(schema: object & JsonSchema): Compiled {
  const made = compile(schema);
  compiled.set(schema, made);
  return made;
}

function run(made: Compiled, value: unknown): readonly Violation[] {
  if (made.kind === 'unusable') return at('$', `cannot be checked: ${made.reason}`);
  const { validate } = made;
  try {
    if (made.kind === 'quick') return validate(value) ? none : violationsOf(validate.errors, value);
    const checked = interruptible(slowCheckMilliseconds, () => validate(value));
    if (!checked.done)
      return at('$', 'cannot be checked: the patterns or uniqueItems of its schema take too long on it');
    return checked.value ? none : violationsOf(validate.errors, value);
  } catch (thrown) {
    if (thrown instanceof PatternTooLong) return at('$', `cannot be checked: ${thrown.message}`);
    if (thrown instanceof RangeError) return at('$', 'cannot be checked: it is nested too deeply');
    throw thrown;
  }
}

const at = (path: string, message: string): readonly Violation[] => [{ path, message }];
