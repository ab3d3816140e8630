// Keeps runs in memory, for tests, replays and benchmarks. Events are not copied: they are readonly data, and a journal
// has put them through JSON before.

import { addDigests } from '../journal/blobs.ts';
import type { Digest, RunEvent, RunId } from '../journal/event.ts';
import type { Log, RunLease } from '../journal/log.ts';
import type { RunCatalog } from '../journal/run-catalog.ts';
import { checkRunId, matchRun, unknownRun } from '../journal/run-names.ts';
import { runStore } from '../journal/run-store.ts';
import { inSlices, openSlice } from '../journal/slices.ts';
import type { RunQuery, RunStore, RunSummary } from '../journal/store.ts';
import { fail } from '../kernel/fault.ts';
import { spentReport } from '../views/runs/spending.ts';
import { EndedTotals } from './ended-totals.ts';
import { memoryCells } from './memory-cells.ts';
import { checkOrder } from './order.ts';
import { OrderedRuns } from './ordered-runs.ts';
import { emptySummary, fits, type SummaryFold, summaryFold, summaryOf } from './summary.ts';

/** The runs that a list takes out of the order at a time. */
const AT_ONCE = 512;

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
  const order = new OrderedRuns();
  const hasBegun = (run: RunId): boolean => (runs.get(run)?.events.length ?? 0) > 0;
  const newest = (): RunId[] => order.next(undefined, order.size).filter(hasBegun);
  const ended = new EndedTotals();
  const forget = (run: RunId): void => {
    const kept = runs.get(run);
    runs.delete(run);
    order.delete(run);
    ended.forget(run);
    if (kept !== undefined) tell(kept);
  };

  const summary = (run: RunId): RunSummary => countedOn(run, known(run));
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
      order.add(run);
      ended.reopen(run);
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

  const list = (query: RunQuery): Promise<readonly RunSummary[]> =>
    listed(query, order, (run) => {
      if (!hasBegun(run)) return undefined;
      const one = summary(run);
      return fits(one, query, () => askedOf(known(run))) ? one : undefined;
    });
  const catalog: RunCatalog = {
    list,
    spent: async (query) => inSlices(spentReport(await list({}), query)),
    totals: () => ended.totals((run) => (hasBegun(run) ? [summary(run), known(run).lease !== undefined] : undefined)),
    async summary(run) {
      return known(run).events.length === 0 ? unknownRun(run, newest()) : summary(run);
    },
    async find(name) {
      const last = name === 'last' ? newest()[0] : undefined;
      return last ?? matchRun(name, newest());
    },
    has: async (run) => runs.has(checkRunId(run)),
    unknown: async (run) => unknownRun(run, newest()),
  };
  return runStore({ log, runs: catalog, cells: memoryCells(now), warn, ...(now && { now }) });
}

const warn = (text: string): void => process.emitWarning(text, 'CadreWarning');

/** The summary, after the events that came since the last look. */
function countedOn(run: RunId, kept: StoredRun): RunSummary {
  const counter = (kept.summaryFold ??= summaryFold(emptySummary(run)));
  const { tally } = counter;
  for (let next = tally.events; next < kept.events.length; next++) {
    const event = kept.events[next] as RunEvent;
    counter.add(event);
    tally.bytes += Buffer.byteLength(JSON.stringify(event)) + 1;
  }
  return summaryOf(tally, () => kept.lease !== undefined);
}

/** Newest first. `look` gives the summary of a run that is listed. */
async function listed(
  { before: from, limit = Number.POSITIVE_INFINITY }: RunQuery,
  order: OrderedRuns,
  look: (run: RunId) => RunSummary | undefined,
): Promise<readonly RunSummary[]> {
  const found: RunSummary[] = [];
  const slice = openSlice();
  for (let before = from; ; ) {
    const some = order.next(before, AT_ONCE);
    for (const run of some) {
      if (found.length >= limit) return found;
      if (slice.isOver()) await slice.rest();
      const one = look(run);
      if (one !== undefined) found.push(one);
    }
    before = some.at(-1);
    if (before === undefined) return found;
  }
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
