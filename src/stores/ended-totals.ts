// The totals of a store that keeps its runs in this process. A run that has ended is counted once, until it is claimed again.

import type { RunId } from '../journal/event.ts';
import type { RunTotals } from '../journal/run-totals.ts';
import { openSlice } from '../journal/slices.ts';
import type { RunSummary } from '../journal/store.ts';
import { RunTally } from '../views/runs/run-sums.ts';

export class EndedTotals {
  readonly #tally = new RunTally();
  readonly #counted = new Map<RunId, RunSummary>();
  readonly #uncounted = new Set<RunId>();

  /** The run may change from now on. */
  reopen(run: RunId): void {
    this.forget(run);
    this.#uncounted.add(run);
  }

  forget(run: RunId): void {
    this.#uncounted.delete(run);
    const counted = this.#counted.get(run);
    if (counted === undefined) return;
    this.#counted.delete(run);
    this.#tally.remove(counted);
  }

  /** `look` gives the summary of a run that has begun, and says if a process has it. */
  async totals(look: (run: RunId) => readonly [RunSummary, boolean] | undefined): Promise<RunTotals> {
    const slice = openSlice();
    const open = new Map<RunId, RunSummary>();
    for (const run of this.#uncounted) {
      if (slice.isOver()) await slice.rest();
      const found = look(run);
      if (found === undefined) continue;
      const [summary, isHeld] = found;
      if (isHeld || summary.state !== 'ended') open.set(run, summary);
      else this.#count(summary);
    }
    return this.#tally.totals([...open.values()].filter(({ run }) => this.#uncounted.has(run)));
  }

  #count(summary: RunSummary): void {
    if (!this.#uncounted.delete(summary.run)) return;
    this.#counted.set(summary.run, summary);
    this.#tally.add(summary);
  }
}
