// Keeps runs as files that less, grep and jq can read: <dir>/runs/<run id>/events.jsonl and <dir>/blobs/<sha-256>.
// Beside them <dir>/runs.jsonl says what a list shows of each run, and <dir>/test-results what tests showed.
// S1. Only the holder of a run's lock writes it, and the lock is taken before its journal is made or read.
// S2. Reading locks nothing: a journal only grows, and a torn last line is left out.

import { closeSync, existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { RunId } from '../../journal/event.ts';
import { eventProblem } from '../../journal/event-shape.ts';
import type { Log } from '../../journal/log.ts';
import { wholeTextLog } from '../../journal/repeats/whole-texts.ts';
import type { RunCatalog } from '../../journal/run-catalog.ts';
import { checkRunId, isRunId, matchRun, unknownRun } from '../../journal/run-names.ts';
import { runStore } from '../../journal/run-store.ts';
import { openSlice } from '../../journal/slices.ts';
import type { RunStore } from '../../journal/store.ts';
import { fail } from '../../kernel/fault.ts';
import type { GrowingSummary } from '../summary.ts';
import { sweepCells } from './cell-files.ts';
import { fileCells } from './cells.ts';
import { namedIn } from './digests.ts';
import { codeOf, refuseLink, writeStep } from './disk.ts';
import { clearDrafts, clearFolder, makeFolder, type RunFolder, removeEmpty, runFolder } from './folder.ts';
import { followFile } from './follow.ts';
import { checkFormat, markFormat } from './format.ts';
import { type Fsync, openLease } from './lease.ts';
import { listing } from './listing.ts';
import { holderOf, isLock, type Lock, takeLock } from './lock.ts';
import { eventOn, eventsOf, logLines } from './log.ts';
import { refuse } from './refusals.ts';
import { runIndex } from './run-index.ts';
import { newLog, type OpenLog, takeUp } from './take-up.ts';

interface FileStoreOptions {
  /** `batch`: an append also survives a power loss, at the price of waiting for the disk. */
  readonly fsync?: Fsync;
  readonly warn?: (text: string) => void;
}

const CELL_FOLDERS: readonly string[] = ['blobs', 'control', 'control-claims', 'keys', 'test-results'];
/** The names in the folder of a store. */
const OWN_FOLDERS: readonly string[] = [
  'store-format',
  'runs',
  'runs.jsonl',
  ...CELL_FOLDERS,
  'letters',
  'processes',
  'writers',
];

export function fileStore(dir: string, options: FileStoreOptions = {}): RunStore {
  const { fsync = 'never', warn = (text: string) => process.emitWarning(text, 'CadreWarning') } = options;
  const root = resolve(dir);
  const runs = join(root, 'runs');
  for (const name of OWN_FOLDERS) refuseLink(join(root, name));
  checkFormat(root);
  let isMarked = false;
  const mark = (): void => {
    if (!isMarked) writeStep(root, () => markFormat(root));
    isMarked = true;
  };
  const index = runIndex(root);
  const { ids, list, one, progress } = listing(runs, index);

  const hasRun = (run: string): boolean => {
    const folder = runFolder(runs, checkRunId(run));
    refuseLink(folder.path);
    refuseLink(folder.events);
    return existsSync(folder.events);
  };
  const known = (run: string): RunFolder => (hasRun(run) ? runFolder(runs, run) : unknownRun(run, ids()));
  const lockOrRefuse = (run: RunId, folder: RunFolder, isNew = false): Lock => {
    const lock = takeLock(root, run, folder, { isNew });
    return isLock(lock) ? lock : refuse(run, lock);
  };
  /** Locks a run that exists. A run that is removed meanwhile is unknown. */
  const lockKnown = (run: RunId): Lock => {
    const folder = known(run);
    try {
      return writeStep(folder.lock, () => lockOrRefuse(run, folder));
    } catch (thrown) {
      known(run);
      throw thrown;
    }
  };
  /** Locks a new run, or what is left of one that never got its first event. */
  const lockNew = (run: RunId, folder: RunFolder): Lock => {
    for (;;) {
      const isNew = makeFolder(folder.path);
      if (!isNew) refuseLink(folder.path);
      try {
        const lock = lockOrRefuse(run, folder, isNew);
        if (!isNew) clearDrafts(folder);
        return lock;
      } catch (thrown) {
        if (isNew) removeEmpty(folder.path);
        if (codeOf(thrown) !== 'ENOENT') throw thrown; // else another process gave the run back, and removed the empty folder
      }
    }
  };
  /** Removes the folder of a process that died before the first event of a run. */
  const clearUnbegun = (run: RunId, folder: RunFolder, before: number): void => {
    const isBegun = (): boolean => (statSync(folder.events, { throwIfNoEntry: false })?.size ?? 0) > 0;
    const changedAt = statSync(folder.path, { throwIfNoEntry: false })?.mtimeMs;
    if (isBegun() || changedAt === undefined || changedAt >= before) return;
    const lock = writeStep(folder.lock, () => takeLock(root, run, folder));
    if (!isLock(lock)) return;
    if (isBegun()) lock.release();
    else writeStep(folder.path, () => clearFolder(folder, lock.release));
  };
  const found = (run: RunId, folder: RunFolder, lock: Lock, expectedSeq: number): Promise<OpenLog> => {
    const check = ({ events }: GrowingSummary): void => {
      if (events !== expectedSeq) otherSeq(run, events, expectedSeq);
    };
    known(run);
    return takeUp(run, folder, lock, check);
  };

  const log: Log = {
    async claim(run, expectedSeq) {
      const folder = runFolder(runs, checkRunId(run));
      if (expectedSeq === 0) mark();
      const lock = expectedSeq > 0 ? lockKnown(run) : writeStep(folder.path, () => lockNew(run, folder)); // S1
      try {
        const made = expectedSeq === 0 ? writeStep(folder.events, () => newLog(run, folder)) : undefined;
        const log = made ?? (await found(run, folder, lock, expectedSeq));
        if (log.torn > 0) warn(tornWarning(folder, log.torn));
        return openLease(run, { folder, lock, log }, index, fsync);
      } catch (thrown) {
        lock.release();
        removeEmpty(folder.path);
        throw thrown;
      }
    },
    async takeOver(run) {
      const folder = known(run);
      const lock = writeStep(folder.lock, () => takeLock(root, run, folder, { force: true }));
      if (!isLock(lock)) return refuse(run, lock); // another process takes it over at this moment
      try {
        closeSync((await takeUp(run, folder, lock, () => {})).fd);
      } finally {
        lock.release();
      }
    },
    async *read(run, fromSeq = 0) {
      const folder = known(run);
      const onTorn = (bytes: number): void => {
        if (holderOf(folder) === undefined) warn(tornWarning(folder, bytes));
      };
      const slice = openSlice();
      for (const { event } of eventsOf(folder.events, onTorn, { from: fromSeq })) {
        if (slice.isOver()) await slice.rest();
        yield event;
      }
    },
    follow: (run, fromSeq, signal) => followFile(() => known(run), fromSeq, signal),
    async remove(run) {
      const lock = lockKnown(run);
      const folder = runFolder(runs, run);
      index.forget(run);
      writeStep(folder.path, () => clearFolder(folder, lock.release));
    },
    async digests() {
      return namedIn(ids().map((run) => runFolder(runs, run).events));
    },
    async sweep(before) {
      for (const run of ids()) clearUnbegun(run, runFolder(runs, run), before);
      sweepCells(root, CELL_FOLDERS, before);
    },
  };

  const catalog: RunCatalog = {
    list: async (query) => list(query),
    counting: progress,
    async summary(run) {
      const folder = known(run);
      return one(run) ?? withoutBeginning(run, folder);
    },
    async find(name) {
      const newest = name === 'last' ? (await list({ limit: 1 }))[0] : undefined;
      if (newest !== undefined) return newest.run;
      return isRunId(name) && existsSync(runFolder(runs, name).events) ? name : matchRun(name, ids());
    },
    has: async (run) => hasRun(run),
    unknown: async (run) => unknownRun(run, ids()),
  };
  return runStore({ log: wholeTextLog(log), runs: catalog, cells: fileCells(root, { fsync, mark, warn }), warn });
}

/** A run whose first line is there and cannot be read is damaged; without one, it was never begun. */
function withoutBeginning(run: RunId, { events }: RunFolder): never {
  const [first] = logLines(events);
  if (first?.whole === true) {
    const problem = eventProblem(eventOn(first, events, 0)) ?? 'it is not the beginning of a run';
    fail(
      'journal/corrupt',
      `${events}:1 cannot be read: ${problem}. Restore the file, or remove this line and all after it.`,
    );
  }
  return fail(
    'run/unknown',
    `Run ${run} has no event: it was never begun. \`cadre runs prune\` removes what is left of it.`,
  );
}

function otherSeq(run: RunId, events: number, expected: number): never {
  if (expected === 0) fail('run/locked', `Run ${run} exists already, with ${events} events. Take another id.`);
  fail('run/locked', `Run ${run} has ${events} events, not ${expected}: another process wrote to it. Read it again.`);
}

const tornWarning = (folder: RunFolder, bytes: number): string =>
  `${folder.events} ends in a torn line of ${bytes} bytes: its process died while writing it. It is left out.`;
