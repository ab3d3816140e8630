// JSON values in a comparison: their kind and size, which are equal, and how they are shown to people.
// Own keys only: a key such as "__proto__" is a name like any other.

import type { JsonObject } from '../../base/text/json.ts';

export const kinds = ['null', 'boolean', 'number', 'string', 'array', 'object'] as const;
export type JsonKind = (typeof kinds)[number];

export function kindOf(value: unknown): JsonKind | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number' && !Number.isFinite(value)) return undefined;
  return kinds.find((kind) => kind === typeof value);
}

export function isObject(value: unknown): value is JsonObject {
  return kindOf(value) === 'object';
}

export function ownValue(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

const maximumNodes = 20_000;
const maximumDepth = 100;
const maximumText = 1_000_000;

/** True if the value is small enough to recurse over safely. A value with a cycle is not. */
export function isModest(value: unknown): boolean {
  const pending: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  let nodes = 0;
  let text = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes += 1;
    if (typeof next.value === 'string') text += next.value.length;
    if (next.depth > maximumDepth || text > maximumText) return false;
    if (typeof next.value !== 'object' || next.value === null) continue;
    const children: unknown[] = Object.values(next.value);
    if (nodes + pending.length + children.length > maximumNodes) return false;
    for (const child of children) pending.push({ value: child, depth: next.depth + 1 });
  }
  return true;
}

/** One text per JSON value: key order does not matter, and 1.0 is 1. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`;
  if (!isObject(value)) return JSON.stringify(value) ?? 'undefined';
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(',')}}`;
}

const texts = new WeakMap<readonly unknown[], ReadonlySet<string>>();

/** `values` is a list from the reading of a schema, and never changes. */
export function isAmong(value: unknown, values: readonly unknown[]): boolean {
  const known = texts.get(values) ?? new Set(values.map(canonical));
  texts.set(values, known);
  return known.has(canonical(value));
}

/** The form of a value in a message: as JSON, cut to a readable length. */
export function showValue(value: unknown): string {
  const text = canonical(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

export function showList(values: readonly unknown[]): string {
  const shown = values.slice(0, 6).map(showValue).join(', ');
  return values.length > 6 ? `${shown} and ${values.length - 6} more` : shown;
}

/** The JSON path segment of a property: `.name`, or `["any name"]`. */
export function segment(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
