// Runs kept as files, to be read with less, grep and jq: <dir>/runs/<run id>/events.jsonl and <dir>/blobs/<sha-256>.
// S1. A run is written by the holder of its lock alone, and the lock is taken before the journal is looked at.
// S2. Reading takes no lock: a journal only grows, and a torn last line is left out.

import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail } from '../../kernel/fault.ts';
import type { RunId } from '../event.ts';
import type { RunStore } from '../store.ts';
import { fileBlobs } from './blobs.ts';
import { collectFiles } from './collect.ts';
import { writing } from './disk.ts';
import { makeFolder, type RunFolder, runFolder } from './folder.ts';
import { type Fsync, type Opening, openLease } from './lease.ts';
import { listing } from './listing.ts';
import { holderOf, isLock, type Lock, takeLock } from './lock.ts';
import { eventsOf } from './log.ts';
import { repeatReader, repeatWriter } from './repeats.ts';
import { checkRunId, matchRun, unknownRun } from './run-names.ts';
import { emptyTally, tallyEvent } from './summary.ts';

export interface FileStoreOptions {
  /** `batch`: an append also survives a power loss, at the price of waiting for the disk. */
  readonly fsync?: Fsync;
  readonly warn?: (text: string) => void;
}

export function fileStore(dir: string, options: FileStoreOptions = {}): RunStore {
  const { fsync = 'never', warn = (text: string) => process.emitWarning(text, 'CadreWarning') } = options;
  const root = resolve(dir);
  const runs = join(root, 'runs');
  const { ids, list, forget } = listing(runs);

  const known = (run: string): RunFolder => {
    const folder = runFolder(runs, checkRunId(run));
    return existsSync(folder.events) ? folder : unknownRun(run, ids());
  };

  return {
    async claim(run, expectedSeq) {
      const folder = expectedSeq > 0 ? known(run) : runFolder(runs, checkRunId(run));
      const isNew = expectedSeq === 0 && writing(folder.path, () => makeFolder(folder.path));
      const lock = lockOrFail(run, folder); // S1
      try {
        const opening = isNew ? newRun(run, folder, lock) : takenUp(run, folder, lock);
        if (opening.tally.events !== expectedSeq) otherSeq(run, opening.tally.events, expectedSeq);
        if (opening.torn > 0) warn(tornWarning(folder, opening.torn));
        return writing(folder.events, () => openLease(run, opening, fsync));
      } catch (thrown) {
        lock.release();
        throw thrown;
      }
    },
    async *read(run, fromSeq = 0) {
      const folder = known(run);
      const onTorn = (bytes: number): void => {
        if (holderOf(folder.lock) === undefined) warn(tornWarning(folder, bytes));
      };
      for (const { event } of eventsOf(folder.events, repeatReader(), onTorn)) {
        if (event.seq >= fromSeq) yield event;
      }
    },
    list: async (query = {}) => list(query),
    async find(name) {
      const newest = name === 'last' ? (await list({ limit: 1 }))[0] : undefined;
      return newest?.run ?? matchRun(name, ids());
    },
    async remove(run) {
      const folder = known(run);
      lockOrFail(run, folder);
      writing(folder.path, () => rmSync(folder.path, { recursive: true }));
      forget(run);
    },
    collect: async (options) =>
      collectFiles(
        join(root, 'blobs'),
        ids().map((run) => runFolder(runs, run).events),
        options,
      ),

    blobs: fileBlobs(join(root, 'blobs'), fsync),
  };
}

function lockOrFail(run: RunId, folder: RunFolder): Lock {
  const taken = writing(folder.lock, () => takeLock(folder.lock));
  if (isLock(taken)) return taken;
  const who = taken.pid === process.pid ? `this process (${taken.pid})` : `process ${taken.pid}`;
  fail('run/locked', `Run ${run} is being written by ${who}. Wait for it to end, or cancel it there.`, {
    pid: taken.pid,
  });
}

const newRun = (run: RunId, folder: RunFolder, lock: Lock): Opening => ({
  folder,
  lock,
  tally: emptyTally(run),
  repeats: repeatWriter(),
  torn: 0,
});

function takenUp(run: RunId, folder: RunFolder, lock: Lock): Opening {
  if (!existsSync(folder.events)) return newRun(run, folder, lock);
  const tally = emptyTally(run);
  const reader = repeatReader();
  let torn = 0;
  const logged = eventsOf(folder.events, reader, (bytes) => {
    torn = bytes;
  });
  for (const { event, end } of logged) {
    tallyEvent(tally, event);
    tally.bytes = end;
  }
  return { folder, lock, tally, repeats: reader.writer(), torn };
}

function otherSeq(run: RunId, events: number, expected: number): never {
  if (expected === 0) fail('run/locked', `Run ${run} exists already, with ${events} events. Take another id.`);
  fail('run/locked', `Run ${run} has ${events} events, not ${expected}: somebody wrote meanwhile. Read it again.`);
}

const tornWarning = (folder: RunFolder, bytes: number): string =>
  `${folder.events} ends in a torn line of ${bytes} bytes: its process died while writing it. It is left out.`;
