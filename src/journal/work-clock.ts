// The time in which a run was worked on, by its record. Between the last event of one process and the `run-resume` of the next
// nobody worked on it: that time counts for no deadline of work.

import type { RunEvent } from './event.ts';

export class WorkClock {
  #last: number | undefined;
  readonly #gaps: { readonly from: number; readonly to: number }[] = [];

  add({ type, at }: Pick<RunEvent, 'type' | 'at'>): void {
    if (type === 'run-resume' && this.#last !== undefined && at > this.#last)
      this.#gaps.push({ from: this.#last, to: at });
    this.#last = at;
  }

  /** A moment without all the time before it in which nobody worked. Differences between two such moments are time of work. */
  at(moment: number): number {
    let idle = 0;
    for (const { from, to } of this.#gaps) {
      if (from >= moment) break;
      idle += Math.min(moment, to) - from;
    }
    return moment - idle;
  }
}
