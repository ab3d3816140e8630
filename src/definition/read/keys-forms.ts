// The keys of patterns: each record describes what its key takes, and here this becomes a shape that is read like every
// other key, and the references in a value. Nothing here knows a pattern by name.

import { CATALOG } from '../../patterns/catalog.ts';
import type { AgentForm, AgentsForm, KeysForm, NamedValue, NumberForm, PatternForm } from '../../patterns/key-form.ts';
import type { Pattern } from '../../patterns/record.ts';
import {
  byForm,
  choice,
  durationShape,
  firstOf,
  flag,
  integer,
  list,
  number,
  orNone,
  type Ref,
  ref,
  reportAt,
  type Shape,
  text,
  wordOr,
} from './shape.ts';
import { byKey, type Key, key, namesShape, object, refineShape } from './shape-object.ts';

/** The patterns of the catalog, and those that a program brings. */
export const withCatalog = (brought: readonly Pattern[]): readonly Pattern[] =>
  brought.length === 0 ? CATALOG : [...CATALOG, ...brought];

export const keysOf = (patterns: readonly Pattern[]): Readonly<Record<string, Key<unknown>>> =>
  Object.fromEntries(
    patterns.map(({ key: name, keySpec: { form, guidance, fallback } }) => [
      name,
      key(shapeOf(form), guidance, fallback === undefined ? {} : { fallback }),
    ]),
  );

function shapeOf(form: PatternForm): Shape<unknown> {
  switch (form.kind) {
    case 'agent':
      return ref;
    case 'agents':
      return agentsShape(form);
    case 'text':
      return text();
    case 'flag':
      return flag;
    case 'integer':
    case 'number':
      return numberShape(form);
    case 'duration':
      return durationShape;
    case 'choice':
      return choice(form.of);
    case 'list':
      return list(shapeOf(form.of), form.min === undefined ? {} : { min: form.min });
    case 'first':
      return firstOf(shapeOf(form.of), form.ignored);
    case 'by-value':
      return byForm({
        ...(form.scalar && { scalar: shapeOf(form.scalar) }),
        ...(form.list && { list: shapeOf(form.list) }),
        ...(form.map && { map: shapeOf(form.map) }),
      });
    case 'keys':
      return keysShape(form);
    case 'named':
      return namesShape(shapeOf(form.of), form.min ?? 0);
    case 'or-none':
      return orNone(shapeOf(form.of));
    case 'by-key':
      return byKey(
        form.signed.map(({ sign, form: inner }) => ({ sign, shape: keysShape(inner) })),
        keysShape(form.plain),
      );
  }
}

function agentsShape({ min, orText }: AgentsForm): Shape<readonly Ref[]> {
  const shape = list(ref, min === undefined ? {} : { min });
  return orText ? { ...shape, schema: { anyOf: [shape.schema, { type: 'string', minLength: 1 }] } } : shape;
}

function numberShape({ kind, min, max, above, orWord }: NumberForm): Shape<number | string> {
  const shape = kind === 'integer' ? integer(min, max) : number({ min, max, ...(above && { above }) });
  return orWord === undefined ? shape : wordOr(orWord, shape);
}

function keysShape({ keys, problem, hints }: KeysForm): Shape<unknown> {
  const shape = object(
    Object.fromEntries(
      Object.entries(keys).map(([name, { form, guidance, required, fallback }]) => [
        name,
        key(shapeOf(form), guidance, { ...(required && { required }), ...(fallback !== undefined && { fallback }) }),
      ]),
    ),
    hints === undefined ? {} : { hints },
  );
  if (problem === undefined) return shape;
  return refineShape(shape, (value, node, path, reading) => {
    const wrong = node.kind === 'map' ? problem([...node.entries.keys()], path) : undefined;
    return wrong === undefined ? value : reportAt(node, reading, wrong);
  });
}

/** The patterns of a catalog whose keys may stand under `defaults`. */
export const mayBeDefault = ({ keySpec }: Pattern): boolean => keySpec.mayBeDefault === true;

/** One reference in the value of a key. */
export interface FoundRef {
  readonly ref: Ref;
  /** The path in messages: `echo.agents`. */
  readonly path: string;
  readonly form: AgentForm | AgentsForm;
}

/** The references in the value of a key, in the order of its form. */
export function refsIn(form: PatternForm, value: unknown, key: string, path = key): readonly FoundRef[] {
  const shown = 'shownAs' in form ? [key, form.shownAs].filter(Boolean).join('.') : path;
  switch (form.kind) {
    case 'agent':
      return [{ ref: value as Ref, path: shown, form }];
    case 'agents':
      return (value as readonly Ref[]).map((one) => ({ ref: one, path: shown, form }));
    case 'list':
      return (value as readonly unknown[]).flatMap((one) => refsIn(form.of, one, key, path));
    case 'first':
      return refsIn(form.of, value, key, path);
    case 'by-value':
      return refsIn(chosenForm(form, value), value, key, path);
    case 'by-key':
      return refsIn(signedForm(form, value), value, key, path);
    case 'or-none':
      return value === null ? [] : refsIn(form.of, value, key, path);
    case 'named':
      return (value as readonly NamedValue[]).flatMap((one) =>
        one.value === undefined ? [] : refsIn(form.of, one.value, key, `${path}.${one.name}`),
      );
    case 'keys':
      return Object.entries(form.keys).flatMap(([name, { form: inner }]) => {
        const one = (value as Readonly<Record<string, unknown>>)[name];
        return one === undefined ? [] : refsIn(inner, one, key, `${path}.${name}`);
      });
    default:
      return [];
  }
}

/** The names of the agents that references stand for, in their order. */
export type NamesOf = (refs: ReadonlySet<Ref>) => readonly string[];

/** The value with agents as names. Undefined where a single agent, or a key that is required, is missing. */
export function withNames(form: PatternForm, value: unknown, namesOf: NamesOf): unknown {
  switch (form.kind) {
    case 'agent':
      return namesOf(new Set([value as Ref]))[0];
    case 'agents':
      return namesOf(new Set(value as readonly Ref[]));
    case 'list': {
      const all = (value as readonly unknown[]).map((one) => withNames(form.of, one, namesOf));
      return all.includes(undefined) ? undefined : all;
    }
    case 'first':
      return withNames(form.of, value, namesOf);
    case 'by-value':
      return withNames(chosenForm(form, value), value, namesOf);
    case 'by-key':
      return withNames(signedForm(form, value), value, namesOf);
    case 'or-none':
      return value === null ? null : withNames(form.of, value, namesOf);
    case 'named': {
      const all = (value as readonly NamedValue[]).map(({ name, value: one }) => ({
        name,
        value: one === undefined ? undefined : withNames(form.of, one, namesOf),
      }));
      return all.some((one) => one.value === undefined) ? undefined : all;
    }
    case 'keys':
      return keysWithNames(form, value as Readonly<Record<string, unknown>>, namesOf);
    default:
      return value;
  }
}

function keysWithNames({ keys }: KeysForm, value: Readonly<Record<string, unknown>>, namesOf: NamesOf): unknown {
  const named = new Map<string, unknown>();
  for (const [name, { form, required }] of Object.entries(keys)) {
    const one = value[name] === undefined ? undefined : withNames(form, value[name], namesOf);
    if (one !== undefined) named.set(name, one);
    // An agent that is not resolved has been reported. What the key says without it would be something else.
    else if (required || value[name] !== undefined) return undefined;
  }
  return Object.fromEntries(named);
}

/** The form that a value has been read by. */
export function chosenForm(form: PatternForm & { readonly kind: 'by-value' }, value: unknown): PatternForm {
  const isScalar = typeof value !== 'object' || value === null || isRef(value);
  const chosen = Array.isArray(value) ? form.list : isScalar ? form.scalar : form.map;
  // The first entry of a list stands for the list.
  const read = chosen ?? form.list ?? form.map;
  if (read === undefined) throw new Error('a value was read by a form that its key does not have');
  return read;
}

/** The form by which a map was read. */
export const signedForm = (form: PatternForm & { readonly kind: 'by-key' }, value: unknown): KeysForm =>
  form.signed.find(({ sign }) => Object.hasOwn(value as object, sign))?.form ?? form.plain;

/** A map that was read has the keys of its form, and no form has both of these. */
const isRef = (value: unknown): value is Ref =>
  typeof value === 'object' && value !== null && 'source' in value && 'start' in value;
