// A lock file that names the process holding it, so that a lock whose process is gone can be taken over.
// L1. A lock is created exclusively, or replaces a stale one while holding a guard named after that one's mark. The
//     guard is itself such a lock, so a process that dies while taking over leaves nothing that blocks the next.
// L2. Under the guard the lock is read again: if it is no longer the stale one, somebody else was first. Nobody but
//     the guard's holder may replace that stale lock, and its own process is gone: exactly one wins.
// L3. A process is the same one only if its start time is: pids are used again. Where start times are unknown
//     (not Linux) the pid alone decides.
// L4. Between its last write and its new name a lock names nobody: it holds for a moment, like one that is being made.

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { codeOf } from './disk.ts';

export interface Holder {
  readonly pid: number;
  /** Boot and clock ticks at which the process began; empty where unknown. */
  readonly started: string;
  /** Tells this lock from every other. */
  readonly mark: string;
}

export interface Lock {
  /** Gives it up. With `leave`, the lock's file becomes that file: one rename instead of a new file and a removed one. */
  release(leave?: { readonly file: string; readonly text: string }): void;
}

/** A lock is empty between its creation and its first write. One that stays so was left by a crash in between. */
const UNWRITTEN_MS = 2000;

/** The lock, or who holds it. */
export function takeLock(file: string): Lock | Holder {
  const mine: Holder = { pid: process.pid, started: ownStart(), mark: randomBytes(6).toString('hex') };
  const text = `${JSON.stringify(mine)}\n`;
  const holder = acquire(file, text);
  return holder ?? { release: (leave) => release(file, mine, leave) };
}

/** Who holds a lock now, if its process is alive. */
export function holderOf(file: string): Holder | undefined {
  const found = readLock(file);
  return found !== undefined && isAlive(found, file) ? found : undefined;
}

export const isLock = (taken: Lock | Holder): taken is Lock => 'release' in taken;

/** Undefined when `text` is in place as the lock; else who was faster. */
function acquire(file: string, text: string): Holder | undefined {
  for (;;) {
    if (create(file, text)) return undefined;
    const found = readLock(file);
    if (found === undefined) continue; // released in between
    if (isAlive(found, file)) return found;
    const guard = `${file}.after-${found.mark}`;
    const faster = acquire(guard, text); // L1
    if (faster !== undefined) return faster;
    try {
      const again = readLock(file);
      if (again?.mark !== found.mark || isAlive(again, file)) continue; // L2
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

function release(file: string, mine: Holder, leave?: { readonly file: string; readonly text: string }): void {
  if (readLock(file)?.mark !== mine.mark) return;
  if (leave === undefined) return unlinkSync(file);
  try {
    writeFileSync(file, leave.text); // L4
    renameSync(file, leave.file);
  } catch {
    unlinkSync(file); // what was to be left is only a cache: the lock must go
  }
}

const UNWRITTEN: Holder = { pid: 0, started: '', mark: 'unwritten' };

function readLock(file: string): Holder | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
  try {
    const { pid, started, mark } = JSON.parse(text) as Partial<Holder>;
    if (!Number.isInteger(pid) || !/^[0-9a-f]{1,32}$/.test(mark ?? '')) return UNWRITTEN;
    return { pid: pid as number, started: started ?? '', mark: mark as string };
  } catch {
    return UNWRITTEN;
  }
}

function isAlive(holder: Holder, file: string): boolean {
  if (holder === UNWRITTEN) return ageOf(file) < UNWRITTEN_MS;
  const state = processState(holder.pid);
  if (state === 'gone') return false;
  return state === 'alive' || holder.started === '' || state.started === holder.started; // L3
}

function ageOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  return found === undefined ? 0 : Date.now() - found.mtimeMs;
}

type ProcessState = 'gone' | 'alive' | { readonly started: string };

function processState(pid: number): ProcessState {
  const known = linuxState(pid);
  if (known !== undefined) return known;
  try {
    process.kill(pid, 0);
    return 'alive';
  } catch (thrown) {
    return codeOf(thrown) === 'ESRCH' ? 'gone' : 'alive';
  }
}

let own: ProcessState | undefined;
function ownStart(): string {
  own ??= processState(process.pid);
  return typeof own === 'string' ? '' : own.started;
}

/** From /proc. A zombie is gone: it only waits for its parent to hear of it. Undefined where /proc does not tell. */
function linuxState(pid: number): ProcessState | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? 'gone' : { started: `${bootId()}/${fields[19]}` };
  } catch {
    return undefined;
  }
}

let boot: string | undefined;
function bootId(): string {
  return (boot ??= readFileSync('/proc/sys/kernel/random/boot_id', 'latin1').trim());
}
