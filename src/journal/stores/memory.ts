// Runs kept in memory, for tests, replays and benchmarks. Events are kept as they were given, not copied: they are
// readonly data, and a journal has put them through JSON before.

import { createHash } from 'node:crypto';
import { fail } from '../../kernel/fault.ts';
import type { Digest, RunEvent, RunId } from '../event.ts';
import type { RunLease, RunStore } from '../store.ts';
import { addDigests, collecting } from './collect.ts';
import { checkOrder } from './order.ts';
import { checkRunId, matchRun, unknownRun } from './run-names.ts';
import { emptyTally, fits, newestFirst, summaryOf, type Tallier, tallier } from './summary.ts';

interface Kept {
  readonly events: RunEvent[];
  /** Counts events when somebody lists them; made then. */
  tallier: Tallier | undefined;
  /** Who holds it. */
  lease: RunLease | undefined;
}

export function memoryStore(): RunStore {
  const runs = new Map<RunId, Kept>();
  const blobs = new Map<Digest, { readonly bytes: Uint8Array; readonly putAt: number }>();
  const known = (run: RunId): Kept => runs.get(run) ?? unknownRun(run, newest());
  const newest = (): RunId[] => [...runs.keys()].filter((run) => runs.get(run)?.events.length !== 0).sort(newestFirst);

  const summary = (run: RunId) => {
    const kept = known(run);
    const counter = (kept.tallier ??= tallier(emptyTally(run)));
    const { tally } = counter;
    for (let next = tally.events; next < kept.events.length; next++) {
      const event = kept.events[next] as RunEvent;
      counter.add(event);
      tally.bytes += Buffer.byteLength(JSON.stringify(event)) + 1;
    }
    return summaryOf(tally, () => kept.lease !== undefined);
  };

  return {
    async claim(run, expectedSeq) {
      checkRunId(run);
      if (expectedSeq > 0 && !runs.has(run)) unknownRun(run, newest());
      const kept = runs.get(run) ?? { events: [], tallier: undefined, lease: undefined };
      if (kept.lease !== undefined) {
        fail('run/locked', `Run ${run} is being written by this process already. Wait for it to end.`);
      }
      if (kept.events.length !== expectedSeq) {
        fail('run/locked', `Run ${run} has ${kept.events.length} events, not ${expectedSeq}. Read it again.`);
      }
      runs.set(run, kept);
      return (kept.lease = leaseOf(run, kept, () => runs.delete(run)));
    },
    async takeOver(run) {
      known(run).lease = undefined;
    },
    async *read(run, fromSeq = 0) {
      const { events } = known(run);
      for (let seq = fromSeq; seq < events.length; seq++) yield events[seq] as RunEvent;
    },
    async list(query = {}) {
      const fitting = newest()
        .map(summary)
        .filter((one) => fits(one, query));
      return fitting.slice(0, query.limit ?? fitting.length);
    },
    async find(name) {
      const ids = newest();
      return name === 'last' && ids[0] !== undefined ? ids[0] : matchRun(name, ids);
    },
    async remove(run) {
      if (known(run).lease !== undefined)
        fail('run/locked', `Run ${run} is being written by this process. Cancel it first.`);
      runs.delete(run);
    },
    async collect({ before, dryRun = false }) {
      const named = new Set<Digest>();
      for (const { events } of runs.values()) for (const event of events) addDigests(JSON.stringify(event), named);
      const count = collecting();
      for (const [digest, { bytes, putAt }] of blobs) {
        const isKept = named.has(digest) || putAt >= before;
        count.add(isKept, bytes.length);
        if (!isKept && !dryRun) blobs.delete(digest);
      }
      return count.collected();
    },

    blobs: {
      async put(bytes) {
        const digest = createHash('sha256').update(bytes).digest('hex');
        blobs.set(digest, { bytes: blobs.get(digest)?.bytes ?? Uint8Array.from(bytes), putAt: Date.now() });
        return digest;
      },
      async get(digest) {
        const found = blobs.get(digest);
        return found && Uint8Array.from(found.bytes);
      },
    },
  };
}

function leaseOf(run: RunId, kept: Kept, forget: () => void): RunLease {
  let released = false;
  const lease: RunLease = {
    append(events) {
      if (released) fail('run/locked', `Run ${run} was released. Claim it again before writing to it.`);
      if (kept.lease !== lease) fail('run/taken-over', `Run ${run} was taken over. It is not written to any more.`);
      checkOrder(run, events, kept.events.length);
      for (const event of events) kept.events.push(event);
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
