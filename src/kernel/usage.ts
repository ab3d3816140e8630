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
