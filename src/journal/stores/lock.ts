// A lock file that names the process holding it, so that a lock whose process is gone can be taken over.
// L1. A lock is created exclusively, or replaces a stale one while holding a guard named after that one's mark. The
//     guard is itself such a lock, so a process that dies while taking over leaves nothing that blocks the next.
// L2. Under the guard the lock is read again: if it is no longer the stale one, somebody else was first. Nobody but
//     the guard's holder may replace that stale lock, and its own process is gone: exactly one wins.
// L3. Between its creation and its first write a lock names nobody: it holds for a moment, and no longer.

import { closeSync, openSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeSync } from 'node:fs';
import { codeOf } from './disk.ts';
import { type Holder, holderText, isAlive, newHolder, parseHolder } from './holder.ts';

/** Held until it is released, or until its process is gone. */
export interface Lock {
  release(): void;
}

/** One that stays empty for longer was left by a crash in between (L3). */
const UNWRITTEN_MS = 2000;

/** The lock, or who holds it. */
export function takeLock(file: string): Lock | Holder {
  const mine = newHolder();
  const holder = acquire(file, holderText(mine));
  return holder ?? { release: () => release(file, mine) };
}

/** Who holds a lock now, if its process is alive. */
export function lockHolder(file: string): Holder | undefined {
  if (statSync(file, { throwIfNoEntry: false }) === undefined) return undefined; // no error made where most have none
  const found = readLock(file);
  return found !== undefined && isHeld(found, file) ? found : undefined;
}

export const isLock = (taken: Lock | Holder): taken is Lock => 'release' in taken;

/** Undefined when `text` is in place as the lock; else who was faster. */
function acquire(file: string, text: string): Holder | undefined {
  for (;;) {
    if (create(file, text)) return undefined;
    const found = readLock(file);
    if (found === undefined) continue; // released in between
    if (isHeld(found, file)) return found;
    const guard = `${file}.after-${found.mark}`;
    const faster = acquire(guard, text); // L1
    if (faster !== undefined) return faster;
    try {
      const again = readLock(file);
      if (again?.mark !== found.mark || isHeld(again, file)) continue; // L2
      const draft = `${guard}.draft`;
      rmSync(draft, { force: true });
      create(draft, text);
      renameSync(draft, file);
      return undefined;
    } finally {
      unlinkSync(guard);
    }
  }
}

function create(file: string, text: string): boolean {
  let fd: number;
  try {
    fd = openSync(file, 'wx');
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
  try {
    writeSync(fd, text);
  } catch (thrown) {
    unlinkSync(file);
    throw thrown;
  } finally {
    closeSync(fd);
  }
  return true;
}

function release(file: string, mine: Holder): void {
  if (readLock(file)?.mark === mine.mark) unlinkSync(file);
}

const UNWRITTEN: Holder = { pid: 0, started: '', mark: 'unwritten' };

function readLock(file: string): Holder | undefined {
  try {
    return parseHolder(readFileSync(file, 'utf8')) ?? UNWRITTEN;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

const isHeld = (holder: Holder, file: string): boolean =>
  holder === UNWRITTEN ? ageOf(file) < UNWRITTEN_MS : isAlive(holder);

function ageOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}
