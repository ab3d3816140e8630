// Keeps runs in memory, for tests, replays and benchmarks. Events are not copied: they are readonly data, and a journal
// has put them through JSON before.

import { addDigests } from '../journal/blobs.ts';
import type { Digest, RunEvent, RunId } from '../journal/event.ts';
import type { Log, RunLease } from '../journal/log.ts';
import type { RunCatalog } from '../journal/run-catalog.ts';
import { checkRunId, matchRun, unknownRun } from '../journal/run-names.ts';
import { runStore } from '../journal/run-store.ts';
import type { RunStore } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';
import { memoryCells } from './memory-cells.ts';
import { checkOrder } from './order.ts';
import { emptySummary, fits, isAfter, newestFirst, type SummaryFold, summaryFold, summaryOf } from './summary.ts';

interface StoredRun {
  readonly events: RunEvent[];
  /** Counts events. Made when the run is first listed. */
  summaryFold: SummaryFold | undefined;
  /** The lease of its holder. */
  lease: RunLease | undefined;
  /** Those who follow the run. Made for the first of them. */
  followers: Set<() => void> | undefined;
}

const askedOf = ({ events: [first] }: StoredRun): string => (first?.type === 'run-start' ? first.input.text : '');

const tell = ({ followers }: StoredRun): void => {
  if (followers !== undefined) for (const told of followers) told();
};

/** `now` is the clock of the store. */
export function memoryStore({ now }: { now?(): number } = {}): RunStore {
  const runs = new Map<RunId, StoredRun>();
  const known = (run: RunId): StoredRun => runs.get(run) ?? unknownRun(run, newest());
  const newest = (): RunId[] => [...runs.keys()].filter((run) => runs.get(run)?.events.length !== 0).sort(newestFirst);

  const forget = (run: RunId): void => {
    const kept = runs.get(run);
    runs.delete(run);
    if (kept !== undefined) tell(kept);
  };

  const summary = (run: RunId) => {
    const kept = known(run);
    const counter = (kept.summaryFold ??= summaryFold(emptySummary(run)));
    const { tally } = counter;
    for (let next = tally.events; next < kept.events.length; next++) {
      const event = kept.events[next] as RunEvent;
      counter.add(event);
      tally.bytes += Buffer.byteLength(JSON.stringify(event)) + 1;
    }
    return summaryOf(tally, () => kept.lease !== undefined);
  };

  const log: Log = {
    async claim(run, expectedSeq) {
      checkRunId(run);
      if (expectedSeq > 0 && !runs.has(run)) unknownRun(run, newest());
      const kept = runs.get(run) ?? { events: [], summaryFold: undefined, lease: undefined, followers: undefined };
      if (kept.lease !== undefined) {
        fail('run/locked', `Run ${run} is being written by this process already. Wait for it to end.`);
      }
      if (kept.events.length !== expectedSeq) {
        fail('run/locked', `Run ${run} has ${kept.events.length} events, not ${expectedSeq}. Read it again.`);
      }
      runs.set(run, kept);
      return (kept.lease = leaseOf(run, kept, () => forget(run)));
    },
    async takeOver(run) {
      known(run).lease = undefined;
    },
    async *read(run, fromSeq = 0) {
      const { events } = known(run);
      for (let seq = fromSeq; seq < events.length; seq++) yield events[seq] as RunEvent;
    },
    async *follow(run, fromSeq, signal) {
      const followers = (known(run).followers ??= new Set());
      let next = 0;
      while (!signal.aborted) {
        const { events } = known(run);
        while (next < events.length && !signal.aborted) {
          const event = events[next++] as RunEvent;
          if (event.seq >= fromSeq) yield event;
          if (event.type === 'run-end') return;
        }
        if (next >= events.length && !signal.aborted) await toldOf(followers, signal);
      }
    },
    async remove(run) {
      if (known(run).lease !== undefined)
        fail('run/locked', `Run ${run} is being written by this process. Cancel it first.`);
      forget(run);
    },
    async digests() {
      const named = new Set<Digest>();
      for (const { events } of runs.values()) for (const event of events) addDigests(JSON.stringify(event), named);
      return named;
    },
    async sweep() {}, // nothing outlives its process
  };

  const list: RunCatalog = {
    async list(query) {
      const fitting = newest()
        .filter((run) => isAfter(run, query))
        .map(summary)
        .filter((one) => fits(one, query, () => askedOf(known(one.run))));
      return fitting.slice(0, query.limit ?? fitting.length);
    },
    async summary(run) {
      return known(run).events.length === 0 ? unknownRun(run, newest()) : summary(run);
    },
    async find(name) {
      const ids = newest();
      return name === 'last' && ids[0] !== undefined ? ids[0] : matchRun(name, ids);
    },
    has: async (run) => runs.has(checkRunId(run)),
    unknown: async (run) => unknownRun(run, newest()),
  };
  const warn = (text: string): void => process.emitWarning(text, 'CadreWarning');
  return runStore({ log, runs: list, cells: memoryCells(now), warn, ...(now && { now }) });
}

/** Ends with the next thing that happens to the run, or with the signal. */
const toldOf = (followers: Set<() => void>, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const end = (): void => {
      followers.delete(end);
      signal.removeEventListener('abort', end);
      resolve();
    };
    followers.add(end);
    signal.addEventListener('abort', end);
  });

function leaseOf(run: RunId, kept: StoredRun, forget: () => void): RunLease {
  let released = false;
  const lease: RunLease = {
    append(events) {
      if (released) fail('run/locked', `Run ${run} was released. Claim it again before writing to it.`);
      if (kept.lease !== lease) fail('run/taken-over', `Run ${run} was taken over. It is not written to any more.`);
      checkOrder(run, events, kept.events.length);
      for (const event of events) kept.events.push(event);
      tell(kept);
    },
    async release() {
      if (released) return;
      released = true;
      if (kept.lease !== lease) return;
      kept.lease = undefined;
      if (kept.events.length === 0) forget();
    },
  };
  return lease;
}
