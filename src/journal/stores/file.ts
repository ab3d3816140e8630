// Runs kept as files, to be read with less, grep and jq: <dir>/runs/<run id>/events.jsonl and <dir>/blobs/<sha-256>.
// Beside them <dir>/writers says which runs are being written, and <dir>/runs.jsonl what a list shows of each.
// S1. A run is written by whoever claimed it alone, and it is claimed before its journal is read or made.
// S2. Reading claims nothing: a journal only grows, and a torn last line is left out.

import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fail } from '../../kernel/fault.ts';
import type { RunId } from '../event.ts';
import type { RunStore } from '../store.ts';
import { fileBlobs } from './blobs.ts';
import { type Claim, claimsOf } from './claims.ts';
import { collectFiles } from './collect.ts';
import { writing } from './disk.ts';
import { clearFolder, type RunFolder, removeEmpty, runFolder } from './folder.ts';
import { type Fsync, type Opening, openLease } from './lease.ts';
import { listing } from './listing.ts';
import { eventsOf } from './log.ts';
import { repeatReader, repeatWriter } from './repeats.ts';
import { runIndex } from './run-index.ts';
import { checkRunId, matchRun, unknownRun } from './run-names.ts';
import { emptyTally, tallyEvent } from './summary.ts';
import { writersIn } from './writers.ts';

export interface FileStoreOptions {
  /** `batch`: an append also survives a power loss, at the price of waiting for the disk. */
  readonly fsync?: Fsync;
  readonly warn?: (text: string) => void;
}

export function fileStore(dir: string, options: FileStoreOptions = {}): RunStore {
  const { fsync = 'never', warn = (text: string) => process.emitWarning(text, 'CadreWarning') } = options;
  const root = resolve(dir);
  const runs = join(root, 'runs');
  const claims = claimsOf(writersIn(join(root, 'writers')));
  const index = runIndex(root);
  const { ids, list } = listing(runs, index, claims);

  const known = (run: string): RunFolder => {
    const folder = runFolder(runs, checkRunId(run));
    return existsSync(folder.events) ? folder : unknownRun(run, ids());
  };

  /** Of a run that exists. One that goes meanwhile is not known. */
  const takeUp = (run: string): Claim => {
    const folder = known(run);
    try {
      const claim = claims.takeUp(run, folder);
      if (claim.journal === 'found') return claim;
      claim.giveBack();
      removeEmpty(folder.path);
    } catch (thrown) {
      known(run);
      throw thrown;
    }
    return unknownRun(run, ids());
  };

  return {
    async claim(run, expectedSeq) {
      const folder = runFolder(runs, checkRunId(run));
      const claim = expectedSeq === 0 ? claims.make(run, folder) : takeUp(run); // S1
      try {
        const opening = claim.journal === 'found' ? takenUp(run, folder, claim) : newRun(run, folder, claim);
        if (opening.tally.events !== expectedSeq) otherSeq(run, opening.tally.events, expectedSeq);
        if (opening.torn > 0) warn(tornWarning(folder, opening.torn));
        return writing(folder.events, () => openLease(run, opening, index, fsync));
      } catch (thrown) {
        claim.giveBack();
        if (claim.journal !== 'found') removeEmpty(folder.path);
        throw thrown;
      }
    },
    async *read(run, fromSeq = 0) {
      const folder = known(run);
      const onTorn = (bytes: number): void => {
        if (claims.holderOf(run, folder) === undefined) warn(tornWarning(folder, bytes));
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
      const claim = takeUp(run);
      const folder = runFolder(runs, run);
      index.forget(run);
      writing(folder.path, () => clearFolder(folder, claim.giveBack));
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

const newRun = (run: RunId, folder: RunFolder, claim: Claim): Opening => ({
  folder,
  claim,
  tally: emptyTally(run),
  repeats: repeatWriter(),
  torn: 0,
});

function takenUp(run: RunId, folder: RunFolder, claim: Claim): Opening {
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
  return { folder, claim, tally, repeats: reader.writer(), torn };
}

function otherSeq(run: RunId, events: number, expected: number): never {
  if (expected === 0) fail('run/locked', `Run ${run} exists already, with ${events} events. Take another id.`);
  fail('run/locked', `Run ${run} has ${events} events, not ${expected}: somebody wrote meanwhile. Read it again.`);
}

const tornWarning = (folder: RunFolder, bytes: number): string =>
  `${folder.events} ends in a torn line of ${bytes} bytes: its process died while writing it. It is left out.`;
