/** A number that JSON can hold; a larger one as text. */
export const jsonCount = (value: bigint): number | string =>
  value <= Number.MAX_SAFE_INTEGER ? Number(value) : String(value);
