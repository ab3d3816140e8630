// Checks that a schema is valid JSON Schema: draft 2020-12, or 7 by its `$schema`. Ajv is loaded for the first schema
// that needs it, and compiles only those with references: the others are checked against the meta-schema, which is
// quick.

import type { Ajv, ErrorObject } from 'ajv';
import { type Dialect, newAjv } from '../../../base/schema/ajv.ts';
import { oversizeProblem } from '../../../base/schema/limits.ts';
import { isPlainSchema } from '../../../base/schema/plain.ts';
import type { JsonSchema } from '../../../kernel/schema.ts';

interface SchemaProblem {
  /** Keys and indices from the schema's root. */
  readonly pointer: readonly string[];
  readonly message: string;
}

const DRAFT_2020 = /^https?:\/\/json-schema\.org\/draft\/2020-12\/schema#?$/;
const DRAFT_7 = /^https?:\/\/json-schema\.org\/draft-07\/schema#?$/;

const known = new Map<string, readonly SchemaProblem[]>();
const KNOWN_AT_MOST = 2000;

export function schemaProblems(schema: JsonSchema): readonly SchemaProblem[] {
  if (typeof schema === 'boolean' || isPlainSchema(schema)) return [];
  const tooLarge = oversizeProblem(schema);
  if (tooLarge !== undefined) return [{ pointer: [], message: tooLarge }];
  // Many files often hold the same schema.
  const text = JSON.stringify(schema);
  let problems = known.get(text);
  if (problems === undefined) {
    problems = problemsOf(schema, text);
    if (known.size >= KNOWN_AT_MOST) known.clear();
    known.set(text, problems);
  }
  return problems;
}

function problemsOf(schema: { readonly [key: string]: unknown }, text: string): readonly SchemaProblem[] {
  const declared = schema['$schema'];
  const draft = draftOf(declared);
  if (draft === undefined) {
    return [{ pointer: ['$schema'], message: `${JSON.stringify(declared)} is neither draft 2020-12 nor draft 7` }];
  }
  const ajv = ajvFor(draft);
  try {
    if (ajv.validateSchema(schema) !== true) return clearest(ajv.errors ?? []);
    const patterns = badPatterns(schema, []);
    if (patterns.length > 0) return patterns;
    // References can be checked only by following them.
    if (/"\$(?:ref|dynamicRef|recursiveRef|id|anchor)"/.test(text)) freshAjv(draft).compile(schema);
    return [];
  } catch (thrown) {
    return [{ pointer: [], message: thrown instanceof Error ? thrown.message : String(thrown) }];
  }
}

function draftOf(declared: unknown): Dialect | undefined {
  if (declared === undefined) return '2020-12';
  if (typeof declared !== 'string') return undefined;
  if (DRAFT_7.test(declared)) return 'draft-07';
  return DRAFT_2020.test(declared) ? '2020-12' : undefined;
}

/** Ajv's errors that are deepest in the schema: they say what is wrong, the others only that something is. */
function clearest(errors: readonly ErrorObject[]): readonly SchemaProblem[] {
  const told = errors.filter(({ keyword }) => keyword !== 'anyOf' && keyword !== 'oneOf' && keyword !== 'if');
  const candidates = told.length > 0 ? told : errors;
  const deepest = candidates.filter(
    ({ instancePath }) => !candidates.some((other) => other.instancePath.startsWith(`${instancePath}/`)),
  );
  const byPlace = new Map<string, SchemaProblem>();
  for (const error of deepest) {
    const allowed = (error.params as { allowedValues?: readonly unknown[] }).allowedValues;
    const message = `${error.message ?? 'is wrong'}${allowed === undefined ? '' : `: ${allowed.join(', ')}`}`;
    const better = allowed !== undefined || !byPlace.has(error.instancePath);
    if (better) byPlace.set(error.instancePath, { pointer: partsOf(error.instancePath), message });
  }
  return [...byPlace.values()].slice(0, 10);
}

const partsOf = (instancePath: string): readonly string[] =>
  instancePath
    .split('/')
    .slice(1)
    .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'));

/** The meta-schema does not look into regular expressions. */
function badPatterns(value: unknown, pointer: readonly string[]): readonly SchemaProblem[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, child]): readonly SchemaProblem[] => {
    const here = [...pointer, key];
    if (key === 'enum' || key === 'const' || key === 'default' || key === 'examples') return [];
    if (key === 'pattern' && typeof child === 'string' && !isRegExp(child)) {
      return [{ pointer: here, message: `"${child}" is not a regular expression` }];
    }
    if (key === 'patternProperties' && typeof child === 'object' && child !== null) {
      const bad = Object.keys(child).filter((pattern) => !isRegExp(pattern));
      const own = bad.map((pattern) => ({
        pointer: [...here, pattern],
        message: `"${pattern}" is not a regular expression`,
      }));
      return [...own, ...badPatterns(child, here)];
    }
    return badPatterns(child, here);
  });
}

function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false; // the caller reports it, with its place
  }
}

const OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false, inlineRefs: false } as const;
const made = new Map<string, Ajv>();

function ajvFor(dialect: Dialect): Ajv {
  let ajv = made.get(dialect);
  if (ajv === undefined) {
    ajv = freshAjv(dialect);
    made.set(dialect, ajv);
  }
  return ajv;
}

/** Ajv keeps a compiled schema by its `$id`, so each compilation has an Ajv of its own. */
const freshAjv = (dialect: Dialect): Ajv => newAjv(dialect, OPTIONS);
