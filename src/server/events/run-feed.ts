// One run, followed for all who read it. The newest events are kept as they are sent, within a bound; a reader that is
// further behind reads the store at its own pace. So no reader slows the run or another reader, and none grows memory.
// FEED-1. A reader has a place, the next sequence number that it gets. It gets every event once and in order: from the
//         store up to the first that is kept, then those that are kept.
// FEED-2. Events come from the process itself if it works on the run, else from the store. They may come twice, and the
//         second time they are left out.
// FEED-3. Live text is sent to those who have read everything. One who comes later, or could not take it, gets what was
//         written so far of each op that is under way, and then goes on.

import { present } from '../../base/text/present.ts';
import { whyQueued } from '../../engine/fleet/queued.ts';
import type { RunEvent, RunId } from '../../journal/event.ts';
import type { RunStore } from '../../journal/store.ts';
import type { LiveEvent } from '../../world/world.ts';
import type { RunStateLine } from '../protocol.ts';
import { cutEvent } from './cut.ts';
import { openLiveTexts } from './live-texts.ts';
import { type SseReader, sseChunk } from './sse.ts';

/** Bytes of events that are kept. A run whose journal is no longer is read from the store once for all readers. */
const MOST_KEPT = 1_048_576;

export interface FeedParts {
  readonly store: RunStore;
  isAtWork(run: RunId): boolean;
  /** Live text of a run that another process works on, where the store carries it. */
  watchLive(run: RunId, live: (event: LiveEvent) => void): () => void;
  log(text: string): void;
  now(): number;
}

export class RunFeed {
  readonly run: RunId;
  readonly #parts: FeedParts;
  readonly #readers = new Set<FeedReader>();
  /** Events as they are sent; the first has the sequence number `#first`. */
  readonly #kept: string[] = [];
  #keptBytes = 0;
  #first = 0;
  #isEnded = false;
  #isLoaded = false;
  /** Events that came before the store was read. */
  readonly #early: RunEvent[] = [];
  #following: AbortController | undefined;
  #state: RunStateLine | undefined;
  /** The end of the run, if it has ended. */
  #ending: Pick<RunStateLine, 'outcome' | 'endedAt'> = {};
  readonly #texts = openLiveTexts();

  constructor(run: RunId, parts: FeedParts) {
    this.run = run;
    this.#parts = parts;
  }

  /** The sequence number of the next event. */
  get #next(): number {
    return this.#first + this.#kept.length;
  }

  get isRead(): boolean {
    return this.#readers.size > 0;
  }

  /** Rejects with `run/unknown`. */
  async open(): Promise<void> {
    const { store } = this.#parts;
    const { events, bytes, outcome, endedAt } = await store.summary(this.run);
    this.#first = bytes > MOST_KEPT ? events : 0;
    if (this.#first > 0 && outcome !== undefined) this.#end({ outcome, ...(endedAt !== undefined && { endedAt }) });
    for await (const event of store.read(this.run, this.#first)) this.#keep(event);
    this.#isLoaded = true;
    for (const event of this.#early.splice(0)) this.event(event);
    await this.look();
  }

  event(event: RunEvent): void {
    if (!this.#isLoaded) {
      this.#early.push(event);
      return;
    }
    if (event.seq !== this.#next) return; // FEED-2
    this.#keep(event);
    for (const reader of this.#readers) this.#pump(reader);
    if (this.#isEnded) this.#close();
  }

  live(event: LiveEvent): void {
    if (!this.#texts.add(event) || this.#readers.size === 0) return;
    const chunk = sseChunk('live', event);
    for (const reader of this.#readers) {
      if (reader.place < this.#next || reader.sse.isBlocked) reader.hasLive = false;
      else if (reader.hasLive) reader.sse.send(chunk);
    }
  }

  /** Looks who works on the run, and tells the readers: also as a heartbeat. */
  async look(): Promise<void> {
    const { store, now } = this.#parts;
    if (this.#isEnded) {
      // A reader of a long journal knows from its first line that nothing goes on, and how it ended.
      this.#state ??= { state: 'ended', driver: 'none', ...this.#ending, now: now() };
      return;
    }
    const isOwn = this.#parts.isAtWork(this.run);
    const summary = await store.summary(this.run);
    const { state, worker, queued, outcome, endedAt } = summary;
    const queuedWhy = (await whyQueued([summary], store)).get(this.run);
    if (!isOwn) this.#follow();
    const driver = isOwn ? 'this' : state === 'running' ? 'other' : 'none';
    this.#state = { state, driver, ...present({ worker, queued, queuedWhy, outcome, endedAt }), now: now() };
    const chunk = sseChunk('state', this.#state);
    for (const { sse } of this.#readers) if (!sse.isBlocked) sse.send(chunk);
  }

  /** Begins to send events from a sequence number on. */
  add(sse: SseReader, from: number): () => void {
    const reader: FeedReader = { sse, place: from, hasLive: false, isReading: false };
    this.#readers.add(reader);
    if (this.#state !== undefined) sse.send(sseChunk('state', this.#state));
    this.#pump(reader);
    return () => {
      this.#readers.delete(reader);
      if (this.#readers.size === 0) this.#close();
    };
  }

  /** True if a reader that has everything up to here has everything there will ever be. */
  isOverAt(next: number): boolean {
    return this.#isEnded && next >= this.#next;
  }

  #keep(event: RunEvent): void {
    if (event.seq !== this.#next) return;
    const chunk = sseChunk('journal', cutEvent(event), event.seq);
    this.#kept.push(chunk);
    this.#keptBytes += chunk.length;
    while (this.#keptBytes > MOST_KEPT && this.#kept.length > 1) {
      this.#keptBytes -= (this.#kept.shift() as string).length;
      this.#first++;
    }
    this.#texts.settle(event);
    if (event.type === 'run-end') this.#end({ outcome: event.outcome.kind, endedAt: event.at });
  }

  #end(ending: Pick<RunStateLine, 'outcome' | 'endedAt'>): void {
    this.#isEnded = true;
    this.#ending = ending;
  }

  /** Sends what a reader can take. */
  #pump(reader: FeedReader): void {
    const { sse } = reader;
    if (reader.isReading) return;
    while (!sse.isClosed && reader.place < this.#next) {
      if (sse.isBlocked) {
        this.#later(reader);
        return;
      }
      if (reader.place < this.#first) {
        this.#readStore(reader).catch((thrown: unknown) => {
          this.#parts.log(`Run ${this.run} cannot be read for a reader: ${String(thrown)}`);
          sse.end();
        });
        return;
      }
      sse.send(this.#kept[reader.place - this.#first] as string);
      reader.place++;
    }
    if (this.#isEnded) sse.end();
    else if (!reader.hasLive) this.#joinLive(reader);
  }

  #later(reader: FeedReader): void {
    reader.isReading = true;
    reader.sse.whenDrained(() => {
      reader.isReading = false;
      this.#pump(reader);
    });
  }

  /** FEED-1. Stops reading while the reader is blocked. */
  async #readStore(reader: FeedReader): Promise<void> {
    const { sse } = reader;
    reader.isReading = true;
    for await (const event of this.#parts.store.read(this.run, reader.place)) {
      if (sse.isClosed) return;
      if (event.seq !== reader.place) continue;
      sse.send(sseChunk('journal', cutEvent(event), event.seq));
      reader.place++;
      if (reader.place >= this.#first && reader.place < this.#next) break;
      if (sse.isBlocked) await new Promise<void>((resolve) => sse.whenDrained(resolve));
    }
    reader.isReading = false;
    this.#pump(reader);
  }

  /** FEED-3 */
  #joinLive(reader: FeedReader): void {
    if (reader.sse.isBlocked) return;
    reader.hasLive = true;
    for (const event of this.#texts.soFar()) reader.sse.send(sseChunk('live', event));
  }

  /** Reads on in the store, for a run that another process works on, now or later. */
  #follow(): void {
    if (this.#following !== undefined || this.#isEnded) return;
    const leave = new AbortController();
    this.#following = leave;
    const go = async (): Promise<void> => {
      const unwatch = this.#parts.watchLive(this.run, (event) => {
        if (!this.#parts.isAtWork(this.run)) this.live(event);
      });
      try {
        for await (const event of this.#parts.store.follow(this.run, this.#next, leave.signal)) this.event(event);
      } finally {
        unwatch();
      }
    };
    go()
      .catch((thrown: unknown) => {
        if (!leave.signal.aborted) this.#parts.log(`Run ${this.run} cannot be followed: ${String(thrown)}`);
      })
      .finally(() => {
        if (this.#following === leave) this.#following = undefined;
      });
  }

  #close(): void {
    this.#following?.abort();
    this.#following = undefined;
  }
}

interface FeedReader {
  readonly sse: SseReader;
  /** The sequence number of the next event that it gets. */
  place: number;
  /** True if it gets live text as it comes. */
  hasLive: boolean;
  /** True if it reads the store, or waits until it can take more. */
  isReading: boolean;
}
