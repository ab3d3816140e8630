// Keeps runs as files that less, grep and jq can read: <dir>/runs/<run id>/events.jsonl and <dir>/blobs/<sha-256>.
// Beside them <dir>/runs.jsonl says what a list shows of each run, and <dir>/test-results what tests showed.
// STORE-1. Only the holder of a run's lock writes it, and the lock is taken before its journal is made or read.
// STORE-2. Reading locks nothing: a journal only grows, and a torn last line is left out.

import { closeSync, existsSync } from 'node:fs';
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
import { sweepCells } from './cell-files.ts';
import { fileCells } from './cells.ts';
import { namedIn } from './digests.ts';
import { refuseLink, writeStep } from './disk.ts';
import { clearFolder, type RunFolder, removeEmpty } from './folder.ts';
import { followFile } from './follow.ts';
import { checkFormat, markFormat } from './format.ts';
import { type Fsync, openLease } from './lease.ts';
import { RunListing } from './listing.ts';
import { holderOf, type Lock } from './lock.ts';
import { eventOn, eventsOf, logLines } from './log.ts';
import { runsIn } from './run-folder-names.ts';
import { RunFolders } from './run-folders.ts';
import { type RunIndex, runIndex } from './run-index.ts';
import { newLog, type OpenLog, takeUp } from './take-up.ts';

const CELL_FOLDERS: readonly string[] = [
  'blobs',
  'control',
  'control-claims',
  'filters',
  'keys',
  'sign-in-leases',
  'sign-ins',
  'test-results',
];
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

export function fileStore(
  dir: string,
  options: {
    /** `batch`: an append also survives a power loss, at the price of waiting for the disk. */
    readonly fsync?: Fsync;
    readonly warn?: (text: string) => void;
  } = {},
): RunStore {
  const { fsync = 'never', warn = (text: string) => process.emitWarning(text, 'CadreWarning') } = options;
  const root = resolve(dir);
  for (const name of OWN_FOLDERS) refuseLink(join(root, name));
  checkFormat(root);
  let isMarked = false;
  const mark = (): void => {
    if (!isMarked) writeStep(root, () => markFormat(root));
    isMarked = true;
  };
  const index = runIndex(root);
  const listing = new RunListing(join(root, 'runs'), index);
  const ids = (): readonly RunId[] => [...runsIn(join(root, 'runs'))].sort().reverse(); // newest first
  const folders = new RunFolders(root, ids);
  const log: Log = {
    ...journalLog({ folders, index, fsync, mark, warn }),
    async remove(run) {
      const lock = folders.lockKnown(run);
      const folder = folders.of(run);
      index.forget(run);
      writeStep(folder.path, () => clearFolder(folder, lock.release));
    },
    async digests() {
      return namedIn(ids().map((run) => folders.of(run).events));
    },
    async sweep(before) {
      for (const run of ids()) folders.clearUnbegun(run, before);
      sweepCells(root, CELL_FOLDERS, before);
    },
  };
  const catalog: RunCatalog = {
    list: async (query) => listing.list(query),
    spent: async (query) => listing.spent(query),
    totals: async () => listing.totals(),
    counting: () => listing.progress(),
    async summary(run) {
      const folder = folders.known(run);
      return (await listing.one(run)) ?? withoutBeginning(run, folder);
    },
    async find(name) {
      const newest = name === 'last' ? (await listing.list({ limit: 1 }))[0] : undefined;
      if (newest !== undefined) return newest.run;
      return isRunId(name) && existsSync(folders.of(name).events) ? name : matchRun(name, ids());
    },
    has: async (run) => folders.has(run),
    unknown: async (run) => unknownRun(run, ids()),
  };
  return runStore({ log: wholeTextLog(log), runs: catalog, cells: fileCells(root, { fsync, mark, warn }), warn });
}

/** Writing and reading one run. */
function journalLog({
  folders,
  index,
  fsync,
  mark,
  warn,
}: {
  readonly folders: RunFolders;
  readonly index: RunIndex;
  readonly fsync: Fsync;
  /** Marks the folder as a store of this format, before its first run. */
  mark(): void;
  warn(text: string): void;
}): Pick<Log, 'claim' | 'takeOver' | 'read' | 'follow'> {
  return {
    async claim(run, expectedSeq) {
      const folder = folders.of(checkRunId(run));
      if (expectedSeq === 0) mark();
      const lock = expectedSeq > 0 ? folders.lockKnown(run) : folders.lockNew(run); // STORE-1
      try {
        const made = expectedSeq === 0 ? writeStep(folder.events, () => newLog(run, folder)) : undefined;
        const log = made ?? (await takeUpAt(expectedSeq, run, folders.known(run), lock));
        if (log.torn > 0) warn(tornWarning(folder, log.torn));
        return openLease(run, { folder, lock, log }, index, fsync);
      } catch (thrown) {
        lock.release();
        removeEmpty(folder.path);
        throw thrown;
      }
    },
    async takeOver(run) {
      const lock = folders.lockByForce(run);
      try {
        closeSync((await takeUp(run, folders.of(run), lock, () => {})).fd);
      } finally {
        lock.release();
      }
    },
    async *read(run, fromSeq = 0) {
      const folder = folders.known(run);
      const onTorn = (bytes: number): void => {
        if (holderOf(folder) === undefined) warn(tornWarning(folder, bytes));
      };
      const slice = openSlice();
      for (const { event } of eventsOf(folder.events, onTorn, { from: fromSeq })) {
        if (slice.isOver()) await slice.rest();
        yield event;
      }
    },
    follow: (run, fromSeq, signal) => followFile(() => folders.known(run), fromSeq, signal),
  };
}

function takeUpAt(expectedSeq: number, run: RunId, folder: RunFolder, lock: Lock): Promise<OpenLog> {
  return takeUp(run, folder, lock, ({ events }) => {
    if (events !== expectedSeq) otherSeq(run, events, expectedSeq);
  });
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
