// Makes a store of its parts: what stands above the cells is the same for every one.

import { blobsIn, collectUnnamed } from './blobs.ts';
import type { Cells } from './cells.ts';
import { controlQueue } from './control-queue.ts';
import type { RunId } from './event.ts';
import type { Log } from './log.ts';
import { notesIn } from './notes.ts';
import { forgetKeys, putKeyIfAbsent } from './put-if-absent.ts';
import type { RunCatalog } from './run-catalog.ts';
import { savedFiltersIn } from './saved-filters.ts';
import { signInsIn } from './sign-ins.ts';
import type { Fleet, RunStore } from './store.ts';
import { testResultsIn } from './test-results.ts';
import { uploadsIn, youngUploads } from './uploads.ts';

/** The parts that each store implements. */
interface StoreParts {
  /** A store that keeps events as texts gives a `wholeTextLog`. */
  readonly log: Log;
  readonly runs: RunCatalog;
  readonly cells: Cells;
  /** Absent if only processes of one machine share the store. */
  readonly fleet?: Fleet;
  /** The time that all processes of the store go by. Absent: that of this machine. */
  now?(): number;
  /** False if values of its cells cannot lie apart from the others. */
  readonly keepsSecrets?: false;
  /** Absent if it has no connections. */
  close?(): Promise<void>;
  warn(text: string): void;
}

export function runStore(parts: StoreParts): RunStore {
  const { log, runs, cells, fleet, keepsSecrets = true, now, close, warn } = parts;
  const known = async (run: RunId): Promise<void> => ((await runs.has(run)) ? undefined : runs.unknown(run));
  const control = controlQueue({ cells, known, now: now ?? Date.now, warn });
  const { forget: forgetNotes, ...notes } = notesIn(cells, { known, now: now ?? Date.now });
  const blobs = blobsIn(cells);
  const clock = now ?? Date.now;
  const { put, get } = blobs;
  return {
    claim: (run, expectedSeq) => log.claim(run, expectedSeq),
    takeOver: (run) => log.takeOver(run),
    read: (run, fromSeq) => log.read(run, fromSeq),
    follow: (run, fromSeq, signal) => log.follow(run, fromSeq, signal),
    ...(log.end && { end: log.end }),
    list: (query = {}) => runs.list(query),
    spent: (query) => runs.spent(query),
    totals: () => runs.totals(),
    counting: () => runs.counting?.(),
    summary: (run) => runs.summary(run),
    find: (name) => runs.find(name),
    async remove(run) {
      await log.remove(run);
      await control.forget(run);
      await forgetNotes(run);
    },
    async collect(options) {
      const { before, dryRun = false } = options;
      if (!dryRun) {
        await log.sweep(before);
        await forgetKeys(cells, before);
        await control.collect(before, (run) => runs.has(run));
      }
      const named = async () => new Set([...(await log.digests()), ...(await youngUploads(cells, clock()))]);
      return collectUnnamed(cells, named, options);
    },
    putIfAbsent: (key, value) => putKeyIfAbsent(cells, key, value),
    blobs: { put, get },
    control,
    tests: testResultsIn(cells),
    filters: savedFiltersIn(cells),
    notes,
    uploads: uploadsIn({ cells, blobs, named: () => log.digests(), now: clock }),
    ...(keepsSecrets && { signIns: signInsIn(cells, clock) }),
    ...(now && { now }),
    ...(fleet && { fleet }),
    ...(close && { close }),
  };
}
