// The budget of everything below one agent, as ops carry it in their scope. src/world/state/budgets.ts opens one.

import type { Fault } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import type { Count } from '../kernel/usage.ts';

export interface BudgetLimits {
  readonly usd?: number;
  readonly tokens?: number;
  readonly sessions?: number;
  readonly depth?: number;
}

/** The most that a model call can cost. */
export type Quote = Count;

/** The spending of a budget by the record, when a run is resumed. */
export interface RecordedSpending extends Count {
  /** Sessions that began. */
  readonly sessions?: number;
  /** A session was reminded that it is nearly spent. */
  readonly reminded?: boolean;
}

export interface Reservation {
  settle(spent: Quote): void;
}

export interface RunBudget {
  readonly agent: string;
  readonly budgetLimits: BudgetLimits;
  readonly depth: number;
  readonly parent: RunBudget | undefined;
  /** The calls that wait until calls under way have settled. */
  readonly line: BudgetLine;
  /** Reserves, or returns a fault that says which budget is reached, whose it is, and how much of it is left. */
  reserve(quote: Quote): Reservation | Fault;
  /** The fault that remains even if all calls under way turn out to cost nothing. Looks at this budget only. */
  cannotPay(quote: Quote): Fault | undefined;
  /** True if only calls under way prevent the reservation. It looks at this budget only. */
  isHeldBack(quote: Quote): boolean;
  /** Counts one more session. Returns a fault if no more are allowed. */
  admit(depth: number): Fault | undefined;
  /** The amount that may still be reserved, by the tightest budget of the chain. */
  left(): { readonly usd?: number; readonly tokens?: number };
  /** The reminder for this budget and those above it of which more than `share` is spent. Each reminds once. */
  nearEnd(share: number):
    | {
        readonly text: string;
        /** The runs that the budgets belong to. */
        readonly of: readonly OpPath[];
      }
    | undefined;
}

/** A call in the line, as the line sees it. */
export interface WaitsInLine {
  /** The order of arrival. */
  readonly order: number;
  /** Something has changed at a budget that it waits at. */
  lookAgain(): void;
}

export interface BudgetLine {
  hasBefore(call: WaitsInLine): boolean;
  join(call: WaitsInLine): void;
  leave(call: WaitsInLine): void;
  /** Has all waiting calls look again, because one was settled or one left. */
  wake(): void;
}
