// One attempt of Restate to work on a run in this process: what is recorded, and the lease by which the run is written.
// Restate gives an attempt up when its stream breaks or nothing comes for too long, and makes another one elsewhere.
// ATTEMPT-1. An append is handed to the invocation and counts when Restate has it. An attempt that was given up never
//            hears of that: its appends are refused from then on.
// ATTEMPT-2. Nothing begins before the invocation asks for events that it does not have. Until then everything comes
//            from what Restate kept of earlier attempts.
// ATTEMPT-3. A run has one attempt at work in a process: the next one waits until the one before has stopped.

import type { RunEvent, RunId } from '../../journal/event.ts';
import type { RunLease } from '../../journal/log.ts';
import { shorteningLease, wholeEvents } from '../../journal/repeats/whole-texts.ts';
import type { RunStore } from '../../journal/store.ts';
import { FaultError, fail, fault } from '../../kernel/fault.ts';
import { checkOrder } from '../../stores/order.ts';
import { eventsIn } from '../../stores/restate/events.ts';
import { Batcher, batchText } from '../../stores/restate/wire.ts';

/** So long an invocation waits for events. Then it says that there are none, so that Restate knows it is alive. */
const BEAT_MS = 20_000;
/** The time that the attempt before may take to stop (ATTEMPT-3). */
const STOPS_WITHIN_MS = 30_000;

/** The engine of a worker drives a run through this. */
export interface RunDriver {
  /** Works on the run. Settles when the work has begun. */
  begin(run: RunId, recorded: readonly RunEvent[]): Promise<void>;
  /** Settles when the work is over. */
  over(run: RunId): Promise<unknown>;
  cancel(run: RunId): Promise<unknown>;
  /** Stops the work, because nothing of it can be recorded any more. */
  stop(run: RunId): Promise<unknown>;
}

class RunAttempt {
  readonly run: RunId;
  /** The events as Restate keeps them. */
  readonly recorded: RunEvent[] = [];
  /** Settles when nothing of it is at work any more. */
  readonly stopped: Promise<void>;
  #hasStopped = (): void => {};
  readonly #driver: RunDriver;
  readonly #before: RunAttempt | undefined;
  #batcher: Batcher | undefined;
  readonly #waiting: { readonly text: string; kept(): void; refuse(why: unknown): void }[] = [];
  #wake = (): void => {};
  #begun: Promise<void> | undefined;
  #isCancelled = false;
  #why: unknown;
  #told = (): void => {};

  constructor(run: RunId, driver: RunDriver, before: RunAttempt | undefined) {
    this.run = run;
    this.#driver = driver;
    this.#before = before;
    this.stopped = new Promise((resolve) => {
      this.#hasStopped = resolve;
    });
  }

  /** The events of one cell, which Restate kept. */
  record(cell: string): void {
    this.recorded.push(...eventsIn(this.run, cell));
  }

  /** True if this attempt works, and does not only hear the events of earlier ones. */
  get isAtWork(): boolean {
    return this.#begun !== undefined;
  }

  /** The next batch; empty if none comes within a beat. Throws if the attempt cannot go on. */
  async next(): Promise<string> {
    this.#begun ??= this.#begin();
    await this.#begun;
    if (this.#waiting.length === 0 && this.#why === undefined) await this.#something();
    const [first] = this.#waiting;
    if (first !== undefined) return first.text;
    if (this.#why !== undefined) throw this.#why;
    return '';
  }

  /** Restate has the batch that `next` gave. */
  kept(): void {
    this.#waiting.shift()?.kept();
  }

  /** Restate has given it up. ATTEMPT-1 */
  giveUp(): void {
    if (this.#why !== undefined) return;
    this.#lost(lostBy(this.run));
    this.#driver.stop(this.run).catch(() => {}); // an append that is refused stops it too
  }

  #lost(why: unknown): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    for (const { refuse } of this.#waiting.splice(0)) refuse(why);
    this.#wake();
    if (this.#begun === undefined) this.#hasStopped();
  }

  /** A message may wait for the run. */
  told(): void {
    this.#told();
  }

  onTold(told: () => void): () => void {
    this.#told = told;
    return () => {
      this.#told = () => {};
    };
  }

  /** Restate itself was asked to cancel the run. */
  cancel(): void {
    if (this.#isCancelled) return;
    this.#isCancelled = true;
    if (this.#begun !== undefined) this.#sayCancel();
  }

  lease(expectedSeq: number): RunLease {
    const { run } = this;
    if (this.recorded.length !== expectedSeq)
      fail('run/locked', `Run ${run} has ${this.recorded.length} events, not ${expectedSeq}. Read it again.`);
    const batcher = (this.#batcher ??= new Batcher(run, this.recorded));
    return {
      append: (events) => {
        if (this.#why !== undefined) throw lostBy(run);
        checkOrder(run, events, batcher.next);
        const written = batcher.batches(events).map(
          (batch) =>
            new Promise<void>((kept, refuse) => {
              this.#waiting.push({ text: batchText(batch), kept, refuse });
            }),
        );
        this.#wake();
        return Promise.all(written).then(() => {});
      },
      release: async () => {},
    };
  }

  async #begin(): Promise<void> {
    if (this.#before !== undefined) await within(this.#before.stopped, STOPS_WITHIN_MS, this.run); // ATTEMPT-3
    if (this.#why !== undefined) {
      this.#hasStopped();
      throw this.#why;
    }
    try {
      await this.#driver.begin(this.run, wholeEvents(this.recorded));
    } catch (thrown) {
      this.#lost(thrown);
      this.#hasStopped();
      throw thrown;
    }
    if (this.#isCancelled) this.#sayCancel();
    this.#driver
      .over(this.run)
      .catch((thrown: unknown) => this.#lost(thrown))
      .finally(this.#hasStopped);
  }

  #sayCancel(): void {
    this.#driver.cancel(this.run).catch((thrown: unknown) => this.#lost(thrown));
  }

  /** Settles when there is something to hand over, or after a beat. */
  #something(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => end(), BEAT_MS);
      const end = (): void => {
        clearTimeout(timer);
        this.#wake = () => {};
        resolve();
      };
      this.#wake = end;
    });
  }
}

const lostBy = (run: RunId): FaultError =>
  new FaultError(fault('run/taken-over', `Restate gave up this attempt to work on run ${run}.`));

async function within(stopped: Promise<void>, ms: number, run: RunId): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The attempt before at run ${run} has not stopped.`)), ms);
  });
  try {
    await Promise.race([stopped, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The attempts of a process, and the store as its engine sees it: a run at work here is read and written through them. */
export class RunAttempts {
  readonly #open = new Map<RunId, RunAttempt>();

  open(run: RunId, driver: RunDriver, given: AbortSignal): RunAttempt {
    const one = new RunAttempt(run, driver, this.#open.get(run));
    this.#open.set(run, one);
    given.addEventListener('abort', () => one.giveUp(), { once: true });
    void one.stopped.then(() => {
      if (this.#open.get(run) === one) this.#open.delete(run);
    });
    return one;
  }

  /** The runs that this process works on. */
  runs(): readonly RunId[] {
    return [...this.#open.values()].filter(({ isAtWork }) => isAtWork).map(({ run }) => run);
  }

  storeOver(store: RunStore): RunStore {
    const open = this.#open;
    return {
      ...store,
      async claim(run, expectedSeq) {
        const attempt = open.get(run);
        return attempt === undefined ? store.claim(run, expectedSeq) : shorteningLease(attempt.lease(expectedSeq));
      },
      read(run, fromSeq = 0) {
        const attempt = open.get(run);
        return attempt === undefined || fromSeq > 0 ? store.read(run, fromSeq) : listed(wholeEvents(attempt.recorded));
      },
      control: {
        ...store.control,
        watch: (run, told) => open.get(run)?.onTold(told) ?? store.control.watch(run, told),
      },
    };
  }
}

async function* listed(events: readonly RunEvent[]): AsyncGenerator<RunEvent> {
  for (const event of events) yield event;
}
