// The line of those who wait until calls under way have settled what they hold of a budget.
// L1. Places are given in order of arrival, one order for all budgets. Nobody reserves before an earlier one who waits
//     at the same budget, so a large call is not passed by small ones for ever.
// L2. The earliest of all waits for reservations alone, and whoever holds one waits for nothing here (P3). So the line
//     always moves.

import { FaultError } from '../../kernel/fault.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { abortFault } from '../abort.ts';

export interface PurseLine {
  hasBefore(call: WaitingCall): boolean;
  join(call: WaitingCall): void;
  leave(call: WaitingCall): void;
  /** Something was settled, or somebody left: those who wait look again. */
  wake(): void;
}

export function openLine(): PurseLine {
  const waiting = new Set<WaitingCall>();
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

/** One call that waits, maybe at several budgets. */
export class WaitingCall {
  readonly order = arrivals++;
  readonly #lines = new Set<PurseLine>();
  #look: (() => void) | undefined;

  lookAgain(): void {
    this.#look?.();
  }

  /** Until something changes at one of these budgets. Throws the abort's fault if the signal says so first. */
  async wait(lines: readonly PurseLine[], signal: StopSignal): Promise<void> {
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
