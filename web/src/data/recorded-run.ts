// The record of a run in the page: its events, and every view of them, computed by the functions that the command line
// uses. Knows no server: what is shown of a run that nobody works on needs no more.
// RUN-1. `events[i].seq` is i.

import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { RunEvent } from '../../../src/journal/event.ts';
import { ledgerFold } from '../../../src/views/costs/ledger.ts';
import { progressFold } from '../../../src/views/progress/progress.ts';
import { OpTreeFold } from '../../../src/views/tree/op-tree.ts';
import { type Extent, type Fold, type Folded, folded } from './folded.ts';
import type { Cut, StateMessage } from './messages.ts';

export type RunPhase = StateMessage['state'];

export class RecordedRun {
  readonly run: string;
  readonly events: RunEvent[] = [];
  /** The texts that are cut, by event, as pointer and bytes. */
  readonly cuts = new Map<number, readonly Cut[]>();
  readonly phase = signal<RunPhase>('running');
  /** The number of events that are applied. Everything below follows from it. */
  readonly count = signal(0);
  /** Time travel: the run is shown as it was when it had so many events. Undefined: as it is. */
  readonly shownAt = signal<number | undefined>(undefined);

  readonly extent: ReadonlySignal<Extent> = computed(() => {
    const back = this.shownAt.value;
    const count = Math.min(back ?? this.count.value, this.count.value);
    // While the journal of a run that has ended arrives, what has no end yet is not in doubt.
    const isOver = this.phase.value === 'broken-off' || (this.phase.value === 'ended' && this.hasEnd);
    const settled = isOver && count === this.count.value && count === this.events.length;
    return { events: this.events, count, settled };
  });

  /** The end of the run is among the events. */
  protected hasEnd = false;
  protected readonly treeUpTo: Folded<OpTreeFold> = folded(() => new OpTreeFold());
  protected readonly progressUpTo: Folded<ReturnType<typeof progressFold>> = folded(progressFold);
  readonly #ledger = folded(ledgerFold);
  /** Counts what the progress was told beside the events. */
  protected readonly told = signal(0);
  readonly tree = computed(() => this.treeUpTo.upTo(this.extent.value).tree());
  readonly ledger = computed(() => this.#ledger.upTo(this.extent.value).ledger());
  readonly progress = computed(() => {
    void this.told.value;
    return this.progressUpTo.upTo(this.extent.value).now();
  });

  constructor(run: string) {
    this.run = run;
  }

  /** RUN-1 */
  protected add(event: RunEvent): void {
    this.events.push(event);
    if (event.type === 'run-end') this.hasEnd = true;
  }

  /** Another view of the run, made by need as the ones above. Make it once for each run. */
  view<Made extends Fold, Value>(make: () => Made, read: (fold: Made) => Value): ReadonlySignal<Value> {
    const mine = folded(make);
    return computed(() => read(mine.upTo(this.extent.value)));
  }
}

/** A run of which everything is here. */
export class WholeRun extends RecordedRun {
  constructor(events: readonly RunEvent[], phase: RunPhase) {
    const [start] = events;
    super(start?.type === 'run-start' ? start.run : '');
    for (const event of events) this.add(event);
    this.phase.value = phase;
    this.count.value = events.length;
  }
}
