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

/** A row for each: of the day or the hour in which runs began, of the agent that made the calls, and of the model. */
export const SPENT_BY = ['day', 'hour', 'agent', 'model'] as const;
export type SpentBy = (typeof SPENT_BY)[number];

/** A day, or an hour of it, as a time zone has it. */
export interface SpentTime {
  readonly day: string;
  /** The first moment of the day or hour, and the one after its last. */
  readonly from: number;
  readonly to: number;
}

/** Asks for sums over the runs that began within a time. */
export interface SpentQuery {
  readonly since?: number;
  readonly until?: number;
  readonly by: readonly SpentBy[];
  /** The day or hour of a moment. Undefined where rows are by neither. */
  timeOf(at: number): SpentTime | undefined;
}

/** A run counts once in each row that has a call of it. */
export interface SpentRow extends RunSum, Partial<SpentTime> {
  readonly agent?: string;
  readonly model?: string;
}

export interface SpentReport {
  /** Oldest first, then by agent and model. */
  readonly rows: readonly SpentRow[];
  /** Each run once. */
  readonly total: RunSum;
}
