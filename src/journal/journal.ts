// The journal of one run. Owns the order of writes and what is known of earlier ones; knows nothing of models or tools.
// JOURNAL-1. One writer: events get their place when they are appended, so the next sequence number is always ours.
// JOURNAL-2. Events may wait in the queue while only our own code runs; they are written before anything leaves the
//            process, before anyone outside is told, and before the loop turns to other work: a reply of a model is
//            known to nobody else until then. So a process may die at any point and no finished call is lost.
// JOURNAL-3. An observer gets an event after it is written, and its failure never fails a run.
// JOURNAL-4. After one failed write a journal is never written again: the next append gets the same failure. The first
//            failure is reported at once, so that work whose result could not be recorded is stopped.
// JOURNAL-5. While one write is under way, all that comes meanwhile goes into the next one: with a store that answers
//            over a network, a hundred ops that end together are two writes.
// JOURNAL-6. The time of an event is never before that of the event before it: clocks of machines differ.

import { channel } from 'node:diagnostics_channel';
import { fail } from '../kernel/fault.ts';
import { lastIndex, type OpPath, parentPath } from '../kernel/path.ts';
import type { InstantOp, Intent, OpEnd, OpStart, RunEnd, RunEvent, RunStart, UnstampedEvent } from './event.ts';
import type { RunLease } from './log.ts';
import { WorkClock } from './work-clock.ts';

/** Tells whoever listens in this process of each write, at the moment at which it is durable. Costs nothing otherwise. */
const durable = channel('cadre.journal.written');

/** The record of an op. */
export interface OpRecord {
  start?: OpStart;
  end?: OpEnd;
  instant?: InstantOp;
  intent?: Intent;
}

export interface Journal {
  /** Nothing new may happen: every request must find its answer in the record. */
  readonly isReplay: boolean;
  readonly start: RunStart | undefined;
  readonly end: RunEnd | undefined;
  recall(path: OpPath): OpRecord | undefined;
  /** All recorded ops. Reading this does not count as asking for an op. */
  readonly records: ReadonlyMap<OpPath, OpRecord>;
  /** True if the record holds a later request of the same routine, so that this one must have been passed. */
  isPassed(path: OpPath): boolean;
  /** True if the record holds anything below this op. */
  isReached(path: OpPath): boolean;
  /** The sequence number of the end of an op, recorded by this process or before. */
  seqOfEnd(path: OpPath): number | undefined;
  fact(key: string): unknown;
  /** A moment on the clock that stands still while no process works on the run. */
  workTime(moment: number): number;
  /** Gives back the event in its place. It is written by the next flush, or as soon as our own code rests (JOURNAL-2). */
  append(event: UnstampedEvent): RunEvent;
  /** Writes what waits. Returns at once where the store writes at once. */
  flush(): void | Promise<void>;
}

interface JournalOptions {
  readonly recorded?: readonly RunEvent[];
  readonly now: () => number;
  readonly observe?: (event: RunEvent) => void;
  /** Called once, when an append fails (JOURNAL-4). */
  readonly failed?: (thrown: unknown) => void;
}

export function openJournal(lease: RunLease, options: JournalOptions): Journal {
  const past = readPast(options.recorded ?? []);
  const { ops, facts, clock } = past;
  const writer = new Writer(lease, options);
  /** The ops that ended in this process, each at the place of its end. A list, because few are ever looked up. */
  const ended: OpPath[] = [];
  return {
    isReplay: false,
    start: past.start,
    end: past.end,
    recall: (path) => (ops.size === 0 ? undefined : ops.get(path)),
    records: ops,
    isPassed: past.isPassed,
    isReached: past.isReached,
    seqOfEnd(path) {
      const seq = ended.lastIndexOf(path);
      return seq < 0 ? ops.get(path)?.end?.seq : seq;
    },
    fact: (key) => facts.get(key),
    workTime: (moment) => clock.at(moment),
    append(event) {
      if (event.type === 'fact') facts.set(event.key, event.value);
      const placed = writer.append(event);
      clock.add(placed);
      if (placed.type === 'op-end') ended[placed.seq] = placed.path;
      return placed;
    },
    flush: () => writer.flush(),
  };
}

/** Gathers events into one write: at the next effect (JOURNAL-2), or as soon as our own code rests. */
class Writer {
  readonly #lease: RunLease;
  readonly #now: () => number;
  readonly #observe: ((event: RunEvent) => void) | undefined;
  #seq: number;
  #queue: RunEvent[] = [];
  #writing: Promise<void> | undefined;
  /** The write after the one that is under way (JOURNAL-5). */
  #next: Promise<void> | undefined;
  #at: number;
  #resting = false;
  readonly #tellFailure: ((thrown: unknown) => void) | undefined;
  #failed: unknown;

  constructor(lease: RunLease, { recorded, now, observe, failed }: JournalOptions) {
    this.#lease = lease;
    this.#now = now;
    this.#observe = observe;
    this.#tellFailure = failed;
    this.#seq = recorded?.length ?? 0;
    this.#at = recorded?.at(-1)?.at ?? 0;
  }

  append(event: UnstampedEvent): RunEvent {
    if (this.#failed !== undefined) throw this.#failed;
    this.#at = Math.max(this.#at, this.#now()); // JOURNAL-6
    const placed = stamped(event, this.#seq++, this.#at);
    this.#queue.push(placed);
    if (!this.#resting) {
      this.#resting = true;
      process.nextTick(flushAtRest, this); // before the loop turns to anything else
    }
    return placed;
  }

  flush(): void | Promise<void> {
    if (this.#failed !== undefined) throw this.#failed;
    if (this.#queue.length === 0) return this.#writing;
    if (this.#next !== undefined) return this.#next;
    if (this.#writing === undefined) return this.#writeQueue();
    this.#next = this.#after(this.#writing);
    return this.#next;
  }

  /** JOURNAL-5 */
  #after(writing: Promise<void>): Promise<void> {
    const next = writing.then(() => {
      this.#next = undefined;
      return this.#writeQueue();
    });
    next.catch(() => {}); // the caller that waits for it sees the failure
    return next;
  }

  #writeQueue(): void | Promise<void> {
    const events = this.#queue;
    this.#queue = [];
    const written = this.#write(events);
    return written === undefined ? this.#tell(events) : this.#waitFor(written.then(() => this.#tell(events)));
  }

  rest(): void {
    this.#resting = false;
    if (this.#failed !== undefined) return;
    try {
      void this.flush()?.catch(() => {}); // JOURNAL-4: the next append fails with it
    } catch {
      return; // JOURNAL-4
    }
  }

  #write(events: readonly RunEvent[]): void | Promise<void> {
    try {
      const written = this.#lease.append(events);
      return written === undefined ? undefined : written.catch((thrown: unknown) => this.#fail(thrown));
    } catch (thrown) {
      return this.#fail(thrown);
    }
  }

  #fail(thrown: unknown): never {
    if (this.#failed === undefined) {
      this.#failed = thrown;
      this.#tellFailure?.(thrown);
    }
    throw thrown;
  }

  #waitFor(mine: Promise<void>): Promise<void> {
    this.#writing = mine;
    const done = () => {
      if (this.#writing === mine) this.#writing = undefined;
    };
    void mine.finally(done).catch(() => {}); // the caller that waits for `mine` sees the failure
    return mine;
  }

  #tell(events: readonly RunEvent[]): void {
    if (durable.hasSubscribers) durable.publish(events);
    if (this.#observe !== undefined) for (const event of events) this.#observe(event);
  }
}

const flushAtRest = (writer: Writer): void => writer.rest();

/** The event in its place. The frequent ones are spelled out, because a spread object costs much more. */
function stamped(event: UnstampedEvent, seq: number, at: number): RunEvent {
  const { type } = event;
  if (type === 'op-start') {
    const { path, op, fingerprint } = event;
    return fingerprint === undefined ? { seq, at, type, path, op } : { seq, at, type, path, op, fingerprint };
  }
  if (type === 'op-end') {
    const { path, kind, result } = event;
    return { seq, at, type, path, kind, result };
  }
  return { seq, at, ...event };
}

/** The ops of a run, as a list of events tells them. */
interface RecordedRun {
  readonly start: RunStart | undefined;
  readonly end: RunEnd | undefined;
  readonly ops: ReadonlyMap<OpPath, OpRecord>;
  readonly facts: Map<string, unknown>;
  readonly clock: WorkClock;
  isPassed(path: OpPath): boolean;
  isReached(path: OpPath): boolean;
}

/** The record of a run that begins. */
const NOTHING: ReadonlyMap<OpPath, OpRecord> = new Map();
const never = (): boolean => false;

export function readPast(events: readonly RunEvent[]): RecordedRun {
  if (events.length === 0) {
    const clock = new WorkClock();
    return {
      start: undefined,
      end: undefined,
      ops: NOTHING,
      facts: new Map(),
      clock,
      isPassed: never,
      isReached: never,
    };
  }
  const clock = new WorkClock();
  const ops = new Map<OpPath, OpRecord>();
  const facts = new Map<string, unknown>();
  const furthest = new Map<OpPath, number>();
  let start: RunStart | undefined;
  let end: RunEnd | undefined;
  /** A recorded op means that every routine above it got at least this far. */
  const reach = (path: OpPath): void => {
    for (let at: OpPath | undefined = path; at !== undefined; at = parentPath(at)) {
      const parent = parentPath(at) ?? '';
      if ((furthest.get(parent) ?? -1) >= lastIndex(at)) return;
      furthest.set(parent, lastIndex(at));
    }
  };
  const of = (path: OpPath): OpRecord => {
    let record = ops.get(path);
    if (record === undefined) {
      record = {};
      ops.set(path, record);
      reach(path);
    }
    return record;
  };
  for (const event of events) {
    clock.add(event);
    switch (event.type) {
      case 'run-start':
        start = event;
        break;
      case 'op-start':
        of(event.path).start = event;
        break;
      case 'op-end':
        of(event.path).end = event;
        break;
      case 'op':
        of(event.path).instant = event;
        break;
      case 'fact':
        facts.set(event.key, event.value);
        break;
      case 'run-end':
        end = event;
        break;
      case 'intent':
        of(event.path).intent = event;
        break;
      case 'attempt':
      case 'undo':
      case 'control':
      case 'run-resume':
        break;
      default:
        fail('journal/corrupt', `Unknown event type ${JSON.stringify((event as { type: unknown }).type)}.`);
    }
  }
  return {
    start,
    end,
    ops,
    facts,
    clock,
    isPassed: (path) => (furthest.get(parentPath(path) ?? '') ?? -1) > lastIndex(path),
    isReached: (path) => furthest.has(path),
  };
}
