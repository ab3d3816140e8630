// Makes a schema count how much work a value is. References can multiply: forty of them in a row, each used twice, are a
// million million checks. So every schema within the schema gets a keyword of ours that takes its share off a budget, and
// ends the check when nothing is left. It is counted, not timed, so that the same value always gets the same answer.

import type { Ajv } from 'ajv';
import type { JsonObject } from '../../base/text/json.ts';
import { changedParts, isJsonObject, MAPS } from '../../kernel/schema-parts.ts';

/** The steps that all schemas of one check may take together; set at its beginning. */
export const schemaSteps = { left: 0 };

/** The budget is spent: nothing is known about the value. */
export class TooMuchWork extends Error {}

const STEP = 'x-cadre-steps';

/** A copy that counts. */
export function withCounting(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withCounting);
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries([...changedParts(schema, withCounting), [STEP, weightOf(schema)]]);
}

/** The work for which the schema itself compares with any value: its lists and names. */
function weightOf(schema: JsonObject): number {
  let weight = 1;
  for (const [key, value] of Object.entries(schema)) {
    if (key === 'enum' || key === 'const') weight += (JSON.stringify(value)?.length ?? 0) / LETTERS_A_STEP;
    else if (Array.isArray(value)) weight += value.length;
    else if (MAPS.has(key) && isJsonObject(value)) weight += Object.keys(value).length;
  }
  return Math.ceil(weight);
}

const LETTERS_A_STEP = 16;

/** Each name in a value is compared with each that is known. */
const NAMING: readonly string[] = [
  'additionalProperties',
  'patternProperties',
  'unevaluatedProperties',
  'propertyNames',
];

/** Adds the keyword, and a `uniqueItems` that does not compare each item with all others. */
export function addCounting(ajv: Ajv): void {
  ajv.addKeyword({
    keyword: STEP,
    schemaType: 'number',
    errors: false,
    validate: (weight: number, data: unknown, parent?: JsonObject): boolean => {
      take(weight + sizeOf(data, weight, parent ?? {}));
      return true;
    },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', errors: true, validate: uniqueItems });
}

function sizeOf(data: unknown, weight: number, parent: JsonObject): number {
  if (typeof data === 'string') return Math.ceil(data.length / LETTERS_A_STEP);
  if (Array.isArray(data)) return data.length;
  if (!isJsonObject(data)) return 0;
  const names = Object.keys(data).length;
  return NAMING.some((key) => Object.hasOwn(parent, key))
    ? names + Math.ceil((names * weight) / LETTERS_A_STEP)
    : names;
}

function take(steps: number): void {
  schemaSteps.left -= steps;
  if (schemaSteps.left < 0) throw new TooMuchWork();
}

/** The last item that has an equal one before it, and that earlier one. */
const uniqueItems: {
  (wanted: boolean, items: readonly unknown[]): boolean;
  errors?: { readonly keyword: string; readonly message: string; readonly params: object }[];
} = (wanted, items) => {
  if (!wanted) return true;
  const seen = new Map<string, number>();
  let found: { readonly i: number; readonly j: number } | undefined;
  for (const [i, item] of items.entries()) {
    const text = canonical(item);
    take(Math.ceil(text.length / LETTERS_A_STEP));
    const j = seen.get(text);
    if (j !== undefined) found = { i, j };
    seen.set(text, i);
  }
  if (found === undefined) return true;
  const message = `must NOT have duplicate items (items ## ${found.j} and ${found.i} are identical)`;
  uniqueItems.errors = [{ keyword: 'uniqueItems', message, params: found }];
  return false;
};

/** The order of keys does not matter. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isJsonObject(value)) return JSON.stringify(value) ?? 'undefined';
  const keys = Object.keys(value).toSorted();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join()}}`;
}
