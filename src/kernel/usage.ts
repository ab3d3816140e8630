// What a model call used, and what that cost. A cost that is not known is absent, never zero.

export interface Usage {
  readonly input: number;
  readonly output: number;
  /** Parts of `input`, where the provider tells. */
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** Part of `output`. */
  readonly reasoning?: number;
}

export interface Spent {
  /** `provider/model` as it was called. */
  readonly model: string;
  readonly usage?: Usage;
  readonly usd?: number;
}

export const noUsage: Usage = { input: 0, output: 0 };

export function addUsage(left: Usage, right: Usage): Usage {
  const sum: { -readonly [key in keyof Usage]: Usage[key] } = {
    input: left.input + right.input,
    output: left.output + right.output,
  };
  for (const part of ['cacheRead', 'cacheWrite', 'reasoning'] as const) {
    const total = (left[part] ?? 0) + (right[part] ?? 0);
    if (total > 0) sum[part] = total;
  }
  return sum;
}
