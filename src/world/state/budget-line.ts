// The queue of calls that wait until calls under way have settled what they hold of a budget.
// LINE-1. Places are given in order of arrival, one order for all budgets. No call reserves before an earlier one that
//         waits at the same budget, so small calls do not overtake a large one for ever.
// LINE-2. The earliest call waits only for reservations, and a call that holds a reservation does not wait here (BUDGET-3).
//         So the queue always moves.

import { FaultError } from '../../kernel/fault.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { abortFault } from '../abort.ts';
import type { BudgetLine, WaitsInLine } from '../run-budget.ts';

export function openLine(): BudgetLine {
  const waiting = new Set<WaitsInLine>();
  return {
    hasBefore(call) {
      for (const other of waiting) if (other.order < call.order) return true;
      return false;
    },
    join: (call) => void waiting.add(call),
    leave(call) {
      if (waiting.delete(call)) this.wake();
    },
    wake() {
      for (const call of waiting) call.lookAgain();
    },
  };
}

let arrivals = 0;

/** A waiting call, maybe at several budgets. */
export class WaitingCall implements WaitsInLine {
  readonly order = arrivals++;
  readonly #lines = new Set<BudgetLine>();
  #look: (() => void) | undefined;

  lookAgain(): void {
    this.#look?.();
  }

  /** Waits until something changes at one of these budgets. Throws the abort's fault if the signal is aborted first. */
  async wait(lines: readonly BudgetLine[], signal: StopSignal): Promise<void> {
    for (const line of lines) {
      line.join(this);
      this.#lines.add(line);
    }
    await new Promise<void>((resolve, reject) => {
      const aborted = () => {
        this.#look = undefined;
        reject(new FaultError(abortFault(signal)));
      };
      this.#look = () => {
        this.#look = undefined;
        signal.removeEventListener('abort', aborted);
        resolve();
      };
      if (signal.aborted) aborted();
      else signal.addEventListener('abort', aborted, { once: true });
    });
  }

  leave(): void {
    for (const line of this.#lines) line.leave(this);
  }
}
