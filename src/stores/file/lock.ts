// The lock of a run: a file that names the process that may write it, made by a link (see process-file.ts).
// LOCK-1. A link fails where the name is taken. So a lock appears whole, and of all who want it one gets it.
// LOCK-2. A lock is replaced under a guard named after its nonce. The guard is itself such a lock, so a process that
//         dies on the way leaves nothing that blocks the next. Under the guard the lock is read again: if it is another
//         one by now, another process was first. So of all who want to replace one lock exactly one does.
// LOCK-3. A holder that may be alive is fenced before its lock is replaced: the run is marked as taken over, and then
//         the holder's file says so (OWNER-1). From then on nothing that it appends is acknowledged. The mark stays until
//         the new holder has moved the journal out of its reach (see take-up.ts).

import { closeSync, renameSync, statSync, unlinkSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import type { RunId } from '../../journal/event.ts';
import { fail } from '../../kernel/fault.ts';
import { codeOf, openOwn, readOwn, writeStep } from './disk.ts';
import type { RunFolder } from './folder.ts';
import { type Holder, type HolderState, newNonce, parseHolder, standingOf } from './holder.ts';
import { isOurs, type ProcessFile, ProcessFileGone, processFile, takeAway } from './process-file.ts';

/** Held until it is released or taken over. */
export interface Lock {
  /** False once the holder was fenced (LOCK-3). */
  isHeld(): boolean;
  /** The same as of FRESH_MS ago, or later. Most of the time this does not read the disk. */
  wasHeld(): boolean;
  /** Gives it back, unless it was taken over. */
  release(): void;
}

/** The lock of another holder, which keeps one from being given. */
export interface HeldLock {
  readonly holder: Holder;
  readonly standing: Exclude<HolderState, 'dead'>;
}

export const isLock = (taken: Lock | HeldLock): taken is Lock => 'release' in taken;

/** The process that takes a lock. */
interface Taker {
  readonly mine: ProcessFile;
  /** Takes it from any process, not only from a dead one, once it has fenced that one out (LOCK-3). */
  readonly fence?: ((holder: Holder) => void) | undefined;
}

interface LockRequest extends Taker {
  readonly run: RunId;
  readonly folder: RunFolder;
  /** We made its folder a moment ago. */
  readonly isNew: boolean;
}

/** Takes a lock that is free, or whose holder is known to be dead. With `force`, takes it from any process. */
export function takeLock(
  root: string,
  run: RunId,
  folder: RunFolder,
  { force = false, isNew = false }: { readonly force?: boolean; readonly isNew?: boolean } = {},
): Lock | HeldLock {
  for (;;) {
    const fence = force ? (holder: Holder): void => fenceOut(holder, run, folder) : undefined;
    const wanted: LockRequest = { run, folder, isNew, fence, mine: processFile(root) };
    try {
      return tryToTake(wanted);
    } catch (thrown) {
      if (!(thrown instanceof ProcessFileGone)) throw thrown;
    }
  }
}

function tryToTake(wanted: LockRequest): Lock | HeldLock {
  const { run, folder, mine } = wanted;
  let since = mine.hold(run, wanted.isNew); // before the lock, so that nothing that happens to the lock is missed
  let isTaken = false;
  try {
    const took = acquire(folder.lock, wanted);
    if (typeof took === 'object') return took;
    if (took === 'from-ourselves') since = mine.now();
    isTaken = true;
  } finally {
    if (!isTaken) mine.unhold();
  }
  const isHeld = (): boolean => !mine.isTaken(run, since);
  return {
    isHeld,
    wasHeld: () => !mine.wasTaken(run, since),
    release() {
      if (isHeld()) remove(folder.lock);
      mine.unhold();
    },
  };
}

/** So long a step is waited for that another process does. */
const PATIENCE_MS = 10_000;

/**
 * Does a step that no other process does at the same time under the same name. A process that dies in the middle of it
 * blocks nobody.
 */
export async function oneAtATime<Value>(root: string, file: string, step: () => Value): Promise<Value> {
  for (const since = Date.now(); ; ) {
    const done = writeStep(file, () => tryStep(root, file, step));
    if ('value' in done) return done.value;
    if (Date.now() - since > PATIENCE_MS)
      fail(
        'journal/write',
        `${file} is held by process ${done.holder.pid} on ${done.holder.host}. Remove it if that is gone.`,
      );
    await setTimeout(1 + Math.random() * 4);
  }
}

function tryStep<Value>(root: string, file: string, step: () => Value): { readonly value: Value } | HeldLock {
  for (;;) {
    const mine = processFile(root);
    mine.hold(file, true);
    try {
      const took = acquire(file, { mine });
      if (typeof took === 'object') return took;
      try {
        return { value: step() };
      } finally {
        remove(file);
      }
    } catch (thrown) {
      if (!(thrown instanceof ProcessFileGone)) throw thrown;
    } finally {
      mine.unhold();
    }
  }
}

/** The holder of a lock, unless that process is known to be dead. */
export function holderOf({ lock }: RunFolder): HeldLock | undefined {
  const holder = readLock(lock);
  const standing = holder === undefined ? 'dead' : standingOf(holder);
  return holder === undefined || standing === 'dead' ? undefined : { holder, standing };
}

/** Takes the lock, or says who holds it. */
function acquire(file: string, wanted: Taker, isGuard = false): 'free' | 'from-another' | 'from-ourselves' | HeldLock {
  for (;;) {
    if (wanted.mine.link(file)) return 'free'; // LOCK-1
    const holder = readLock(file);
    if (holder === undefined) continue; // released in between
    const standing = standingOf(holder);
    if (standing !== 'dead' && !isForced(standing, wanted, isGuard)) return { holder, standing };
    const guard = `${file}.after-${holder.nonce}`;
    const faster = acquire(guard, wanted, true); // LOCK-2
    if (typeof faster === 'object') return faster;
    try {
      if (readLock(file)?.nonce !== holder.nonce) continue; // LOCK-2
      if (!isGuard && standing !== 'dead') wanted.fence?.(holder);
      if (isReplaced(file, wanted.mine)) return isOurs(holder.nonce) ? 'from-ourselves' : 'from-another';
    } finally {
      remove(guard);
    }
  }
}

/**
 * True if the lock may be taken by force: of two processes that do so at the same time, the one that began first goes
 * on.
 */
const isForced = (standing: HolderState, { fence }: Taker, isGuard: boolean): boolean =>
  fence !== undefined && !(isGuard && standing === 'alive');

/** LOCK-3 */
function fenceOut({ nonce }: Holder, run: RunId, folder: RunFolder): void {
  closeSync(openOwn(folder.takenOver, 'write'));
  takeAway(run, folder.lock, nonce);
}

/** False if a process that has the lock by now removed our draft. */
function isReplaced(file: string, mine: ProcessFile): boolean {
  const draft = `${file}.${newNonce()}.draft`;
  mine.link(draft);
  try {
    renameSync(draft, file);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

function readLock(file: string): Holder | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined; // saves the usual error
  try {
    return parseHolder(readOwn(file).toString('utf8'));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

function remove(file: string): void {
  try {
    unlinkSync(file);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
  }
}
