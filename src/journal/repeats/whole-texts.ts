// The log of a store in which each text stands once: whoever writes events or reads them has them whole.

import type { RunEvent, RunId } from '../event.ts';
import type { Log, RunLease } from '../log.ts';
import type { Fleet, TakenRun } from '../store.ts';
import { EventRestorer } from './restore.ts';
import { EventShortener, isBulky } from './shorten.ts';

export function wholeTextLog(log: Log): Log {
  const whole = (run: RunId, events: AsyncIterable<RunEvent>, from: number): AsyncIterable<RunEvent> =>
    restoredEvents(events, from, () => log.read(run));
  return {
    ...log,
    claim: async (run, expectedSeq) => shorteningLease(await log.claim(run, expectedSeq)),
    read: (run, from = 0) => whole(run, log.read(run, from), from),
    follow: (run, from, signal) => whole(run, log.follow(run, from, signal), from),
  };
}

export function wholeTextFleet(fleet: Fleet): Fleet {
  const wholeRun = (taken: TakenRun): TakenRun => ({
    ...taken,
    async open() {
      const { recorded, lease } = await taken.open();
      return { recorded: wholeEvents(recorded), lease: shorteningLease(lease) };
    },
  });
  return { ...fleet, take: async (request) => (await fleet.take(request)).map(wholeRun) };
}

/** The events of a journal from its beginning. */
export function wholeEvents(events: readonly RunEvent[]): readonly RunEvent[] {
  const restorer = new EventRestorer();
  return events.map((event) => restorer.restore(event));
}

/** REPEAT-3: each lease begins with nothing to refer to. */
export function shorteningLease(lease: RunLease): RunLease {
  /** The first event that may be repeated. Many short runs have no second one. */
  let first: RunEvent | undefined;
  let shortener: EventShortener | undefined;
  const shorten = (event: RunEvent): RunEvent => {
    if (!isBulky(event)) return event;
    if (first === undefined) {
      first = event;
      return event;
    }
    if (shortener === undefined) {
      shortener = new EventShortener();
      shortener.shorten(first);
    }
    return shortener.shorten(event);
  };
  return {
    append: (events) => lease.append(events.some(isBulky) ? events.map(shorten) : events),
    release: () => lease.release(),
  };
}

/** Restores events. If the first one refers to earlier ones, the journal is read from its beginning, once. */
function restoredEvents(
  events: AsyncIterable<RunEvent>,
  from: number,
  fromBeginning: () => AsyncIterable<RunEvent>,
): AsyncIterable<RunEvent> {
  return {
    [Symbol.asyncIterator]() {
      const inner = events[Symbol.asyncIterator]();
      const restorer = new EventRestorer();
      let first = from;
      const restored = (event: RunEvent): RunEvent | Promise<RunEvent> => {
        if (!restorer.lacksFor(event, first)) return restorer.restore(event);
        first = 0;
        return readBefore(restorer, fromBeginning(), event.seq).then(() => restorer.restore(event));
      };
      const next = async (): Promise<IteratorResult<RunEvent>> => {
        const { done, value } = await inner.next();
        return done === true ? { done, value: undefined } : { value: await restored(value) };
      };
      return { next, return: async () => (await inner.return?.()) ?? { done: true, value: undefined } };
    },
  };
}

async function readBefore(restorer: EventRestorer, events: AsyncIterable<RunEvent>, seq: number): Promise<void> {
  for await (const event of events) {
    if (event.seq >= seq) return;
    restorer.restore(event);
  }
}
