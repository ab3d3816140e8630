// The change of a journal's holder. If the process that wrote it is known to be dead, or gave it back, it is opened
// where it lies. If that process was fenced and may be alive, one of its writes may still be on the way: then the
// journal is copied, and the copy gets the name, so that the write goes to a file without a name.
// TAKEUP-1. The lock is taken first, and the holder before is fenced (LOCK-3); then all drafts of the folder are removed;
//           then, after SETTLE_MS, the copy is made. A working holder looks for the fence every FRESH_MS (LEASE-3), so
//           everything that it has acknowledged was written before the copy is made, and is in it.
// TAKEUP-2. The copy is a draft; then we look whether we were fenced ourselves; then the draft is renamed. A process
//           that was fenced before it looked refuses. One that was fenced after it looked had made its draft before
//           that, and so the draft is gone (TAKEUP-1), and its rename fails. So no process replaces the journal of a
//           later holder.
// TAKEUP-3. If nothing is copied, we open the file and then look whether we were fenced. If not, the file that we have
//           is the journal, or one that a later holder has copied already.
// TAKEUP-4. Only whole lines count: a torn last line was never acknowledged.

import { closeSync, constants, copyFileSync, existsSync, fsyncSync, ftruncateSync, renameSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { RunId } from '../../journal/event.ts';
import { emptySummary, type GrowingSummary, type SummaryFold, summaryFold } from '../summary.ts';
import { codeOf, openOwn, refuseLink, writeStep } from './disk.ts';
import { clearDrafts, type RunFolder } from './folder.ts';
import { newNonce } from './holder.ts';
import type { Lock } from './lock.ts';
import { eventsOf } from './log.ts';
import { FRESH_MS } from './process-file.ts';
import { failTakenOver } from './refusals.ts';

/** A journal that this process may append to. */
export interface OpenLog {
  readonly fd: number;
  readonly summaryFold: SummaryFold;
  /** Bytes of a torn line that was cut off. */
  readonly torn: number;
}

/** Undefined where there is a journal already. */
export function newLog(run: RunId, folder: RunFolder): OpenLog | undefined {
  try {
    return { fd: openOwn(folder.events, 'make'), summaryFold: summaryFold(emptySummary(run)), torn: 0 };
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return undefined;
    throw thrown;
  }
}

const SETTLE_MS = 25 * FRESH_MS;

/** `check` may refuse what was found; then the journal stays as it is. */
export async function takeUp(
  run: RunId,
  folder: RunFolder,
  lock: Lock,
  check: (tally: GrowingSummary) => void,
): Promise<OpenLog> {
  clearDrafts(folder); // TAKEUP-1
  if (!existsSync(folder.takenOver)) return writeStep(folder.events, () => reopened(run, folder, lock, check));
  await setTimeout(SETTLE_MS); // TAKEUP-1
  return writeStep(folder.events, () => copied(run, folder, lock, check));
}

function reopened(run: RunId, folder: RunFolder, lock: Lock, check: (tally: GrowingSummary) => void): OpenLog {
  const fd = openOwn(folder.events, 'append');
  try {
    if (!lock.isHeld()) failTakenOver(run, folder); // TAKEUP-3
    const found = readLog(run, folder.events, folder);
    check(found.summaryFold.tally);
    if (found.torn > 0) ftruncateSync(fd, found.summaryFold.tally.bytes); // TAKEUP-4
    return { fd, ...found };
  } catch (thrown) {
    closeSync(fd);
    throw thrown;
  }
}

function copied(run: RunId, folder: RunFolder, lock: Lock, check: (tally: GrowingSummary) => void): OpenLog {
  const draft = `${folder.events}.${newNonce()}.draft`;
  let fd: number | undefined;
  try {
    refuseLink(folder.events);
    copyFileSync(folder.events, draft, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    const found = readLog(run, draft, folder);
    check(found.summaryFold.tally);
    fd = openOwn(draft, 'append');
    ftruncateSync(fd, found.summaryFold.tally.bytes); // TAKEUP-4
    fsyncSync(fd); // without it, a power loss could leave nothing where a whole journal was
    if (!lock.isHeld()) failTakenOver(run, folder); // TAKEUP-2
    renameSync(draft, folder.events);
    rmSync(folder.takenOver, { force: true });
    return { fd, ...found };
  } catch (thrown) {
    if (fd !== undefined) closeSync(fd);
    rmSync(draft, { force: true });
    if (!lock.isHeld()) failTakenOver(run, folder); // TAKEUP-2: the draft is gone
    throw thrown;
  }
}

function readLog(run: RunId, file: string, folder: RunFolder): Omit<OpenLog, 'fd'> {
  const found = summaryFold(emptySummary(run));
  let torn = 0;
  const onTorn = (bytes: number): void => {
    torn = bytes;
  };
  for (const { event, end } of eventsOf(file, onTorn, { name: folder.events })) {
    found.add(event);
    found.tally.bytes = end;
  }
  return { summaryFold: found, torn };
}
