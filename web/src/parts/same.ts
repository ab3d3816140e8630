// True if two values are the same, or have the same within them.

export const isSame = (one: unknown, other: unknown): boolean =>
  one === other || (isObject(one) && isObject(other) && isWithin(one, other) && isWithin(other, one));

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

function isWithin(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  for (const key in one) if (one[key] !== other[key]) return false;
  return true;
}
