// The seven kinds of JSON value. "number" is two of them, since every integer is a number: integers, and fractions.
import { keyword, type LocatedObject } from './schema.ts';

export const allKinds = ['null', 'boolean', 'integer', 'fraction', 'string', 'array', 'object'] as const;
export type Kind = (typeof allKinds)[number];
export type Kinds = ReadonlySet<Kind>;

/**
 * Where drafts and validators disagree on a keyword, a schema is read so that the proof holds either way: at its widest when it
 * says which values there may be, at its narrowest when it says which values are welcome.
 */
export type Reading = 'widest' | 'narrowest';

export function kindOf(value: unknown): Kind | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number')
    return Number.isInteger(value) ? 'integer' : Number.isFinite(value) ? 'fraction' : undefined;
  return typeof value === 'boolean' || typeof value === 'string' || typeof value === 'object'
    ? (typeof value as Kind)
    : undefined;
}

/** The kinds that `type` names; all of them where there is none. OpenAPI's `nullable` adds null at the widest. */
export function kindsOfType(located: LocatedObject, reading: Reading): Kinds {
  const type = keyword(located, 'type');
  const names: readonly unknown[] = Array.isArray(type) ? type : typeof type === 'string' ? [type] : [];
  if (type === undefined || (names.length === 0 && !Array.isArray(type))) return new Set(allKinds);
  const nullable: readonly Kind[] = reading === 'widest' && keyword(located, 'nullable') === true ? ['null'] : [];
  return new Set([...names.flatMap(kindsNamed), ...nullable]);
}

function kindsNamed(name: unknown): readonly Kind[] {
  if (name === 'number') return ['integer', 'fraction'];
  return allKinds.filter((kind) => kind === name && kind !== 'fraction');
}

export function describeKinds(kinds: Kinds): string {
  if (kinds.size === allKinds.length) return 'any value';
  if (kinds.size === 0) return 'no value';
  const names = allKinds.filter((kind) => kinds.has(kind) && !(kind === 'integer' && kinds.has('fraction')));
  return names.map((kind) => (kind === 'fraction' ? 'number' : kind)).join(' or ');
}

export const onlyKind: Readonly<Record<Kind, { readonly [key: string]: unknown }>> = {
  null: { type: 'null' },
  boolean: { type: 'boolean' },
  integer: { type: 'integer' },
  fraction: { type: 'number', not: { type: 'integer' } },
  string: { type: 'string' },
  array: { type: 'array' },
  object: { type: 'object' },
};
