// JSON values as the fit check sees them: size, a canonical text to compare by, and how they are shown to people.
// Own keys only: a key such as "__proto__" is a name like any other.

export type JsonObject = { readonly [key: string]: unknown };

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function own(object: JsonObject, key: string): unknown {
  return Object.hasOwn(object, key) ? object[key] : undefined;
}

const maximumNodes = 20_000;
const maximumDepth = 100;
const maximumText = 1_000_000;

/** Whether the value is small enough for every recursion over it to be safe. A cycle is not. */
export function isModest(value: unknown): boolean {
  const pending: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  let nodes = 0;
  let text = 0;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    nodes += 1;
    if (nodes > maximumNodes || next.depth > maximumDepth) return false;
    if (typeof next.value === 'string') text += next.value.length;
    if (text > maximumText) return false;
    if (typeof next.value !== 'object' || next.value === null) continue;
    const children: unknown[] = Object.values(next.value);
    if (nodes + pending.length + children.length > maximumNodes) return false;
    for (const child of children) pending.push({ value: child, depth: next.depth + 1 });
  }
  return true;
}

/** A copy that nobody else can change, of what JSON can hold: keys without a value are left out. */
export function snapshot(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snapshot);
  if (!isObject(value)) return value;
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  return Object.fromEntries(entries.map(([key, item]) => [key, snapshot(item)]));
}

const remembered = new WeakMap<object, string>();

/** One text per JSON value: key order does not matter, and 1.0 is 1. */
export function canonical(value: unknown): string {
  if (typeof value !== 'object' || value === null)
    return typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? 'undefined');
  const known = remembered.get(value);
  if (known !== undefined) return known;
  const text = Array.isArray(value)
    ? `[${value.map(canonical).join(',')}]`
    : `{${Object.keys(value)
        .sort()
        .map((key) => `${JSON.stringify(key)}:${canonical((value as JsonObject)[key])}`)
        .join(',')}}`;
  remembered.set(value, text);
  return text;
}

const listed = new WeakMap<readonly unknown[], ReadonlySet<string>>();

export function isAmong(value: unknown, values: readonly unknown[]): boolean {
  const known = listed.get(values) ?? new Set(values.map(canonical));
  listed.set(values, known);
  return known.has(canonical(value));
}

/** A value as a message shows it: JSON, cut to a readable length. */
export function show(value: unknown): string {
  const text = canonical(value);
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
}

export function showList(values: readonly unknown[]): string {
  const shown = values.slice(0, 6).map(show).join(', ');
  return values.length > 6 ? `${shown} and ${values.length - 6} more` : shown;
}

/** The JSON path segment of a property: `.name`, or `["any name"]`. */
export function segment(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? `.${name}` : `[${JSON.stringify(name)}]`;
}
