// JSON that comes from outside. Everything that reads a value walks down into it, so a value may be nested only so deep.

export const MAX_DEPTH = 100;

/** Throws a `SyntaxError` for what is not JSON, and for what is nested too deep. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (isTooDeep(value)) throw new SyntaxError(`it ${TOO_DEEP}`);
  return value;
}

export const TOO_DEEP = `is nested more than ${MAX_DEPTH} levels deep`;

/** Never goes deeper than it allows, so that a value cannot exhaust the stack here. */
export function isTooDeep(value: unknown, left = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (left === 0) return true;
  if (Array.isArray(value)) return value.some((inner) => isTooDeep(inner, left - 1));
  for (const key in value) if (isTooDeep((value as Record<string, unknown>)[key], left - 1)) return true;
  return false;
}
