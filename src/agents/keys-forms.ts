// The keys of patterns whose record describes what they take: read like every other key, and linked by walking the same
// description. Nothing here knows a pattern by name.

import { CATALOG } from '../patterns/catalog.ts';
import type { Pattern, PatternForm, PatternWriting } from '../patterns/record.ts';
import { choice, duration, flag, integer, list, type Ref, ref, type Shape, text } from './read/shape.ts';
import { type Key, key, object } from './read/shape-object.ts';

/** A pattern whose key is read here. */
export type WrittenPattern = Pattern & { readonly writing: PatternWriting };

/** The patterns of the catalog, and those that a program brings. */
export const writtenPatterns = (brought: readonly Pattern[]): readonly WrittenPattern[] =>
  [...CATALOG, ...brought].filter((pattern): pattern is WrittenPattern => pattern.writing !== undefined);

export const keysOf = (patterns: readonly WrittenPattern[]): Readonly<Record<string, Key<unknown>>> =>
  Object.fromEntries(patterns.map((one) => [one.key, key(shapeOf(one.writing.form), one.writing.guidance)]));

function shapeOf(form: PatternForm): Shape<unknown> {
  switch (form.kind) {
    case 'agent':
      return ref;
    case 'agents':
      return list(ref, form.min === undefined ? {} : { min: form.min });
    case 'text':
      return text();
    case 'flag':
      return flag;
    case 'integer':
      return integer(form.min, form.max);
    case 'duration':
      return duration;
    case 'choice':
      return choice(form.of);
    case 'keys':
      return object(
        Object.fromEntries(
          Object.entries(form.keys).map(([name, { form: inner, guidance, required }]) => [
            name,
            key(shapeOf(inner), guidance, required ? { required } : {}),
          ]),
        ),
      );
  }
}

/** One reference in the value of a key. */
export interface FoundRef {
  readonly ref: Ref;
  /** For messages: `echo.agents`. */
  readonly path: string;
  readonly role: string;
  readonly getsRequest: boolean;
}

/**
 * The value with each reference replaced by what `name` returns for it; those without a name are left out. Undefined
 * where a required key is missing, which has been reported.
 */
export function linked(
  form: PatternForm,
  value: unknown,
  path: string,
  name: (found: FoundRef) => string | undefined,
): unknown {
  switch (form.kind) {
    case 'agent':
      return name(foundBy(form, value as Ref, path));
    case 'agents':
      return (value as readonly Ref[]).map((one) => name(foundBy(form, one, path))).filter((one) => one !== undefined);
    case 'keys': {
      const given = Object.entries(value as object).map(([inner, one]: [string, unknown]) => {
        const described = form.keys[inner];
        return [inner, described === undefined ? one : linked(described.form, one, `${path}.${inner}`, name)] as const;
      });
      const config = new Map(given.filter(([, one]) => one !== undefined));
      const isWhole = Object.entries(form.keys).every(([inner, { required }]) => !required || config.has(inner));
      return isWhole ? Object.fromEntries(config) : undefined;
    }
    default:
      return value;
  }
}

const foundBy = (form: PatternForm & { readonly role: string; readonly gets?: 'request' }, ref: Ref, path: string) => ({
  ref,
  path,
  role: form.role,
  getsRequest: form.gets === 'request',
});
