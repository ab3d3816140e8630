// The check that the kernel is handed: Ajv for draft 2020-12, and draft 7 where the schema says so or is only that.
// S1. Ajv takes some 50 ms to load, so it is loaded for the first value that is not plainly valid, and a validator is
//     compiled once for each schema object.
// S2. Schemas come from agent files, MCP servers and callers. They are capped in bytes, depth and number. Only what is
//     plainly cheap is checked as it stands; everything else is ended after a while. Patterns and formats are matched
//     in one pass, and their steps are counted: the engine of the language can neither be trusted with them nor be
//     stopped. What cannot be checked is a violation, never a pass.

import { isTooDeep, TOO_DEEP } from '../kernel/json.ts';
import type { JsonSchema, SchemaCheck, Violation } from '../kernel/schema.ts';
import { interruptible } from '../schema/interruptible.ts';
import { StepsSpent } from '../schema/linear-pattern.ts';
import { isPlainSchema } from '../schema/plain.ts';
import { type Compiled, compile, misuse } from './schema/compile.ts';
import { checkSteps } from './schema/patterns.ts';
import { plainlyValid } from './schema/plainly-valid.ts';
import { violationsOf } from './schema/violations.ts';

const none: readonly Violation[] = [];
/** For one check that may be slow. Each that runs out of time halves it, so that many in a row do not add up. */
const patienceMilliseconds = 500;
const leastPatience = 15;
let patience = patienceMilliseconds;
/** Of all patterns and formats in one check: some tenth of a second. */
const patternSteps = 5_000_000;
/** Weight of the schema times size of the value: some hundredth of a second. */
const cheapWork = 5_000_000;
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
  typeof schema === 'boolean' ||
  (compiled.get(schema) === undefined && isPlainSchema(schema)) ||
  (compiled.get(schema) ?? remember(schema)).kind !== 'unusable';

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
  const { validate, weight } = made;
  checkSteps.left = patternSteps;
  const judge = (): readonly Violation[] => (validate(value) ? none : violationsOf(validate.errors, value));
  if (isTooDeep(value)) return at('$', TOO_DEEP);
  try {
    if (weight * sizeUpTo(value, cheapWork / weight) < cheapWork) return judge();
    const checked = interruptible(patience, judge);
    patience = checked.done ? patienceMilliseconds : Math.max(leastPatience, patience / 2);
    if (checked.done) return checked.value;
    return at('$', 'cannot be checked: its schema takes too long on it');
  } catch (thrown) {
    if (thrown instanceof StepsSpent) return at('$', `cannot be checked: ${thrown.message}`);
    if (thrown instanceof RangeError) return at('$', 'cannot be checked: it is nested too deeply');
    throw thrown;
  }
}

/** Values and letters within a value, counted no further than `most`. */
function sizeUpTo(value: unknown, most: number): number {
  const pending: unknown[] = [value];
  let size = 0;
  while (pending.length > 0 && size < most) {
    const next = pending.pop();
    size += typeof next === 'string' ? 1 + next.length : 1;
    if (typeof next !== 'object' || next === null) continue;
    const inner: unknown[] = Object.values(next);
    if (size + inner.length > most) return most;
    for (const one of inner) pending.push(one);
  }
  return size;
}

const at = (path: string, message: string): readonly Violation[] => [{ path, message }];
