// The form of what many runs come to. Stores keep it for all their runs; views compute it for any.

import type { OutcomeKind } from '../kernel/fault.ts';

/** `person`: it waits for an answer of a person. `queued`: for a worker. */
export type RunStanding = OutcomeKind | 'running' | 'person' | 'queued' | 'broken-off';

export interface RunSum {
  readonly runs: number;
  /** Ended without an answer, or broken off. */
  readonly notAnswered: number;
  readonly calls: number;
  readonly tokens: { readonly input: number; readonly output: number };
  /** Absent where no call has a price. */
  readonly usd?: number;
  /** Calls whose price is unknown. */
  readonly unpriced: number;
  /** `usd` is only the least that was spent: calls have no known price, or are under way. */
  readonly atLeast: boolean;
}

export interface RunTotals {
  readonly total: number;
  readonly states: Readonly<Partial<Record<RunStanding, number>>>;
  readonly sum: RunSum;
}
