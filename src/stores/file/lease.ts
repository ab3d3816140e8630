// The right to append to one events.jsonl. Each append is one write.
// LEASE-1. What is counted was written whole. A write that failed half-way is cut off again; if even that fails,
//          nothing more is written, and the next claim drops the torn line.
// LEASE-2. No fsync by default: a finished write survives the process. With `batch`, an append waits for an fsync that
//          began after its write, and appends that wait together share one.
// LEASE-3. An append is acknowledged only if the last look for the fence is younger than FRESH_MS after its write: then
//          it is in the copy of the process that takes the run over (TAKEUP-1). Looking each time would cost a tenth of a
//          quick turn. An append that is refused may be in that copy too, whole: what it tells did happen.

import { closeSync, fsyncSync, ftruncateSync, openSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import type { RunEvent, RunId } from '../../journal/event.ts';
import type { RunLease } from '../../journal/log.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import { checkOrder } from '../order.ts';
import { writeFault } from './disk.ts';
import { clearFolder, type RunFolder } from './folder.ts';
import { FencedOut, type JournalFile, journalFile } from './journal-file.ts';
import type { Lock } from './lock.ts';
import { failTakenOver } from './refusals.ts';
import type { RunIndex } from './run-index.ts';
import type { OpenLog } from './take-up.ts';

export type Fsync = 'never' | 'batch';

export function openLease(
  run: RunId,
  claimed: { readonly folder: RunFolder; readonly lock: Lock; readonly log: OpenLog },
  index: RunIndex,
  fsync: Fsync,
): RunLease {
  const { folder, lock } = claimed;
  const { summaryFold } = claimed.log;
  const { tally } = summaryFold;
  const file = journalFile(claimed.log.fd, folder, lock);
  const sync = fsync === 'batch' ? groupSync(file, folder) : undefined;
  let state: 'open' | 'torn' | 'fenced' | 'released' = 'open';
  const write = (events: readonly RunEvent[]): number => {
    let isBegun = false;
    try {
      let text = '';
      for (const event of events) text += `${JSON.stringify(event)}\n`;
      return file.use((fd) => {
        isBegun = true;
        return writeWhole(fd, text);
      });
    } catch (thrown) {
      if (thrown instanceof FencedOut) {
        state = 'fenced';
        failTakenOver(run, folder);
      }
      if (isBegun && !cutBack(file, tally.bytes)) state = 'torn'; // LEASE-1
      throw new FaultError(writeFault(folder.events, thrown));
    }
  };
  const giveBack = (): void => {
    file.close();
    if (tally.events > 0) index.add([tally]);
    else if (lock.isHeld()) return clearFolder(folder, lock.release);
    lock.release();
  };

  return {
    append(events) {
      if (state !== 'open') refuse(run, folder, state);
      if (events.length === 0) return;
      checkOrder(run, events, tally.events);
      const size = write(events);
      if (!lock.wasHeld()) {
        state = 'fenced'; // LEASE-3
        failTakenOver(run, folder);
      }
      tally.bytes += size;
      for (const event of events) summaryFold.add(event);
      return sync?.(); // LEASE-2
    },
    async release() {
      if (state === 'released') return;
      state = 'released';
      try {
        await sync?.();
      } finally {
        giveBack();
      }
    },
  };
}

function refuse(run: RunId, folder: RunFolder, state: 'torn' | 'fenced' | 'released'): never {
  if (state === 'fenced') failTakenOver(run, folder);
  if (state === 'released') fail('run/locked', `Run ${run} was released. Claim it again before writing to it.`);
  fail('journal/write', `${folder.events} ends in a torn line that could not be cut off. \`cadre resume\` drops it.`);
}

/** Most writes fit into it, whatever their letters are: so they need no memory of their own and are not counted first. */
const usual = Buffer.allocUnsafeSlow(1 << 16);
const MOST_BYTES_OF_A_UNIT = 3;

/** The size of what was written: all of it. */
function writeWhole(fd: number, text: string): number {
  const isUsual = text.length * MOST_BYTES_OF_A_UNIT <= usual.length;
  const bytes = isUsual ? usual : Buffer.from(text);
  const size = isUsual ? usual.write(text) : bytes.length;
  for (let written = 0; written < size; ) {
    const more = writeSync(fd, bytes, written, size - written);
    if (more === 0) throw new Error('nothing more could be written');
    written += more;
  }
  return size;
}

function cutBack(file: JournalFile, size: number): boolean {
  try {
    file.use((fd) => ftruncateSync(fd, size));
    return true;
  } catch {
    return false;
  }
}

function groupSync(file: JournalFile, folder: RunFolder): () => Promise<void> {
  syncFolder(folder.path);
  syncFolder(dirname(folder.path));
  let running: Promise<void> = Promise.resolve();
  let waiting: Promise<void> | undefined;
  const start = (): Promise<void> => {
    running = waiting as Promise<void>;
    waiting = undefined;
    return syncData(file, folder.events);
  };
  return () => (waiting ??= running.then(start, start));
}

async function syncData(file: JournalFile, name: string): Promise<void> {
  try {
    await file.sync();
  } catch (thrown) {
    throw new FaultError(writeFault(name, thrown));
  }
}

/** Makes the file's name survive a power loss too. Where folders cannot be synced, that is up to the system. */
function syncFolder(path: string): void {
  try {
    const fd = openSync(path, 'r');
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch {
    return;
  }
}
