// One run of the server: its events as they arrive, which are applied once per frame; where very many arrive together, in
// slices, with a count. A gap in them (RUN-1) is a defect of the connection: the journal is read again from its beginning.

import { signal } from '@preact/signals';
import type { EventSourceMessage } from 'eventsource-parser';
import type { Problem } from '../../../src/client/problem.ts';
import { heard, serverNow } from './clock.ts';
import { Stream } from './connection.ts';
import { onceAFrame } from './frames.ts';
import type { JournalMessage, LiveMessage, StateMessage } from './messages.ts';
import { RecordedRun } from './recorded-run.ts';

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

export class RunData extends RecordedRun {
  readonly loading = signal<Loading>({ kind: 'loading' });
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
  /** Text that models write now, by op. Never stored: the journal's text takes its place. */
  readonly writing = signal<ReadonlyMap<string, string>>(new Map());

  #stream: Stream;
  readonly #apply = onceAFrame(
    () => this.#applySlice(),
    () => (this.#isLive() ? LIVE_REST : 1),
  );
  readonly #live: LiveMessage[] = [];
  /** The number of events that the tree has taken in. */
  #folded = 0;
  /** Ops whose text the journal holds by now. */
  readonly #written = new Set<string>();

  constructor(run: string) {
    super(run);
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
    return this.hasEnd ? 'over' : undefined;
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
    this.add(event);
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
      if (many) this.treeUpTo.upTo({ events: this.events, count: this.#folded, settled: false });
    } while (this.#folded < this.events.length && performance.now() - began < SLICE_MS);
    const rest = this.events.length - this.#folded;
    this.#tell();
    if (rest === 0 || this.count.value === 0) this.count.value = this.#folded;
    if (this.events.length > 0 || this.phase.value === 'ended') this.loading.value = { kind: 'ready', behind: rest };
    if (rest > 0) this.#apply();
    // The speed of the page is measured by this: see `npm run bench -- --page`.
    if (behind > SOME) performance.measure('cadre:apply', { start: began });
    if (behind > 0 && rest === 0 && this.hasEnd) performance.mark(`cadre:whole:${this.run}`);
  }

  /** Tells the views of live events: text as it is written, and waits that nobody records. */
  #tell(): void {
    if (this.#live.length === 0 && this.#written.size === 0) return;
    const fold = this.progressUpTo.upTo({ ...this.extent.value, count: this.events.length });
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
    this.told.value++;
  }
}
