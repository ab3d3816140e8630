// One run in the browser: its events as they arrive, and every view of them, computed here by the functions that the
// command line uses. Events are applied once per frame; where very many arrive together, in slices, with a count.
// RUN-1. `events[i].seq` is i. A gap is a defect of the connection: the journal is read again from its beginning.

import { computed, type ReadonlySignal, signal } from '@preact/signals';
import type { EventSourceMessage } from 'eventsource-parser';
import type { Problem } from '../../../src/client/problem.ts';
import type { RunEvent } from '../../../src/journal/event.ts';
import { ledgerFold } from '../../../src/views/costs/ledger.ts';
import { progressFold } from '../../../src/views/progress/progress.ts';
import { opTreeFold } from '../../../src/views/tree/op-tree.ts';

import { heard, serverNow } from './clock.ts';
import { Stream } from './connection.ts';
import { type Extent, type Fold, folded } from './folded.ts';
import { onceAFrame } from './frames.ts';
import type { Cut, JournalMessage, LiveMessage, StateMessage } from './messages.ts';

export type RunPhase = StateMessage['state'];

/** `behind`: events that have arrived and are not applied yet. */
export type Loading =
  | { readonly kind: 'loading' }
  | { readonly kind: 'ready'; readonly behind: number }
  | { readonly kind: 'refused'; readonly problem: Problem };

/** More than so many at once are applied in slices. */
const MANY = 2000;
/** Work on fewer is not worth measuring. */
const SOME = 50;
const SLICE_MS = 8;
/**
 * The share of the time that a live run's news takes is at most a quarter: hundreds of sessions leave room for the
 * person.
 */
const LIVE_REST = 3;
const JUST_NOW_MS = 5000;

export class RunData {
  readonly run: string;
  readonly events: RunEvent[] = [];
  /** The texts that the stream cut, by event, as pointer and bytes. */
  readonly cuts = new Map<number, readonly Cut[]>();
  readonly loading = signal<Loading>({ kind: 'loading' });
  readonly phase = signal<RunPhase>('running');
  /** The end of the run, as the server says before the journal has arrived. */
  readonly ended = signal<Pick<StateMessage, 'outcome' | 'endedAt'>>({});
  /** The process that works on it. Text arrives as it is written only if this server works on it. */
  readonly driver = signal<StateMessage['driver']>('none');
  /** The worker that works on it, where workers do. */
  readonly worker = signal<string | undefined>(undefined);
  /** It was left to the workers, and none of them has it now. */
  readonly queued = signal(false);
  /** The reason why no worker has it, while it is queued. */
  readonly queuedWhy = signal<string | undefined>(undefined);
  /** The number of events that are applied. Everything below follows from it. */
  readonly count = signal(0);
  /** Time travel: the run is shown as it was when it had so many events. Undefined: as it is. */
  readonly shownAt = signal<number | undefined>(undefined);
  /** Text that models write now, by op. Never stored: the journal's text takes its place. */
  readonly writing = signal<ReadonlyMap<string, string>>(new Map());

  readonly extent: ReadonlySignal<Extent> = computed(() => {
    const back = this.shownAt.value;
    const count = Math.min(back ?? this.count.value, this.count.value);
    // While the journal of a run that has ended arrives, what has no end yet is not in doubt.
    const isOver = this.phase.value === 'broken-off' || (this.phase.value === 'ended' && this.#ended);
    const settled = isOver && count === this.count.value && count === this.events.length;
    return { events: this.events, count, settled };
  });

  readonly #tree = folded(opTreeFold);
  readonly #ledger = folded(ledgerFold);
  readonly #progress = folded(progressFold);
  readonly #told = signal(0);
  readonly tree = computed(() => this.#tree.upTo(this.extent.value).tree());
  readonly ledger = computed(() => this.#ledger.upTo(this.extent.value).ledger());
  readonly progress = computed(() => {
    void this.#told.value;
    return this.#progress.upTo(this.extent.value).now();
  });

  #stream: Stream;
  readonly #apply = onceAFrame(
    () => this.#applySlice(),
    () => (this.#isLive() ? LIVE_REST : 1),
  );
  readonly #live: LiveMessage[] = [];
  #ended = false;
  /** The number of events that the tree has taken in. */
  #folded = 0;
  /** Ops whose text the journal holds by now. */
  readonly #written = new Set<string>();

  constructor(run: string) {
    this.run = run;
    this.#stream = this.#open();
  }

  #open(): Stream {
    return new Stream(`/api/runs/${encodeURIComponent(this.run)}/events`, {
      heard: (events) => this.#heard(events),
      refused: (problem) => {
        this.loading.value = { kind: 'refused', problem };
      },
    });
  }

  /** RUN-1 */
  #readAgain(): void {
    this.#stream.close();
    this.events.length = 0;
    this.cuts.clear();
    this.count.value = 0;
    this.#folded = 0;
    this.#stream = this.#open();
  }

  /** Another view of the run, made by need as the ones above. Make it once for each run. */
  view<Made extends Fold, Value>(make: () => Made, read: (fold: Made) => Value): ReadonlySignal<Value> {
    const mine = folded(make);
    return computed(() => read(mine.upTo(this.extent.value)));
  }

  close(): void {
    this.#stream.close();
  }

  #heard(messages: readonly EventSourceMessage[]): 'over' | undefined {
    for (const { event: type, data } of messages) {
      if (type === 'journal') {
        const message = JSON.parse(data) as JournalMessage;
        if (message.event.seq > this.events.length) {
          this.#readAgain(); // RUN-1
          return undefined;
        }
        this.#take(message);
      } else if (type === 'live') this.#live.push(JSON.parse(data) as LiveMessage);
      else if (type === 'state') this.#state(JSON.parse(data) as StateMessage);
    }
    this.#apply();
    return this.#ended ? 'over' : undefined;
  }

  /**
   * True if we are shown events as they happen. Somebody who opens a run does not wait for its past any longer than
   * needed.
   */
  #isLive(): boolean {
    const last = this.events.at(-1);
    return last !== undefined && serverNow() - last.at < JUST_NOW_MS;
  }

  #take({ event, cut }: JournalMessage): void {
    if (event.seq < this.events.length) return;
    this.events.push(event);
    if (event.type === 'run-end') this.#ended = true;
    if (event.type === 'op-end' && this.writing.peek().has(event.path)) this.#written.add(event.path);
    if (cut !== undefined) this.cuts.set(event.seq, cut);
  }

  #state({ state, driver, worker, queued, queuedWhy, outcome, endedAt, now }: StateMessage): void {
    heard(now);
    this.phase.value = state;
    this.ended.value = { ...(outcome !== undefined && { outcome }), ...(endedAt !== undefined && { endedAt }) };
    this.driver.value = driver;
    this.worker.value = worker;
    this.queued.value = queued === true;
    this.queuedWhy.value = queuedWhy;
  }

  /**
   * Applies the next events. If many are behind, the tree takes them in slices, and the views are told twice: after the
   * first slice, so that rows are seen early, and when all are in.
   */
  #applySlice(): void {
    const began = performance.now();
    const behind = this.events.length - this.#folded;
    const many = behind > MANY;
    do {
      this.#folded = many ? Math.min(this.#folded + 250, this.events.length) : this.events.length;
      if (many) this.#tree.upTo({ events: this.events, count: this.#folded, settled: false });
    } while (this.#folded < this.events.length && performance.now() - began < SLICE_MS);
    const rest = this.events.length - this.#folded;
    this.#tell();
    if (rest === 0 || this.count.value === 0) this.count.value = this.#folded;
    if (this.events.length > 0 || this.phase.value === 'ended') this.loading.value = { kind: 'ready', behind: rest };
    if (rest > 0) this.#apply();
    // The speed of the page is measured by this: see `npm run bench -- --page`.
    if (behind > SOME) performance.measure('cadre:apply', { start: began });
    if (behind > 0 && rest === 0 && this.#ended) performance.mark(`cadre:whole:${this.run}`);
  }

  /** Tells the views of live events: text as it is written, and waits that nobody records. */
  #tell(): void {
    if (this.#live.length === 0 && this.#written.size === 0) return;
    const fold = this.#progress.upTo({ ...this.extent.value, count: this.events.length });
    const writing = new Map(this.writing.value);
    for (const told of this.#live.splice(0)) {
      if (told.type === 'text') {
        fold.delta(told.path, told.text);
        writing.set(told.path, (writing.get(told.path) ?? '') + told.text);
      } else if (told.type === 'waiting') fold.waiting(told.path, told.for, told.names);
      else if (told.type === 'waited') fold.waited(told.path);
    }
    for (const path of this.#written) writing.delete(path);
    this.#written.clear();
    this.writing.value = writing;
    this.#told.value++;
  }
}
