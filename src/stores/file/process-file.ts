// The file that says who this process is: <dir>/processes/<nonce>. The locks of its runs are further names of this one
// file (hard links), so that a lock is made by one step and is whole from its first moment. A process that takes a run
// away from this one says so in the lock, and thereby in this file, which stays open here: one short read tells
// whether this process still holds a run.
// OWNER-1. Its first line says who the process is, and is written before anything is linked to the file. Each further
//          line is the id of a run that was taken away. The process that took it writes the line before it touches the
//          journal.
// OWNER-2. Any process may remove its name at any time: the locks stay, and this process makes another file for the
//          next. So a process that makes one also removes those of processes that are gone.

import {
  appendFileSync,
  closeSync,
  existsSync,
  fstatSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readSync,
  rmSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '../../journal/event.ts';
import { codeOf, FOLDER_MODE, openOwn, readOwn } from './disk.ts';
import { holderText, newHolder, parseHolder, standingOf } from './holder.ts';
import { type KeptOpen, rest, use } from './kept-open.ts';

/** The time for which a process that writes may rely on its last look into its file (LEASE-3). */
export const FRESH_MS = 10;

/** Thrown when the file cannot be linked any more (OWNER-2). The next call makes another file. */
export class ProcessFileGone extends Error {}

/** The one of this process in a store. */
export function processFile(root: string): ProcessFile {
  const known = current.get(root);
  if (known !== undefined) return known;
  const made = new ProcessFile(join(root, 'processes'));
  current.set(root, made);
  return made;
}

const current = new Map<string, ProcessFile>();
const byNonce = new Map<string, ProcessFile>();

/** Tells the holder of a lock that a run is taken away from it (OWNER-1). */
export function takeAway(run: RunId, lock: string, nonce: string): void {
  const ours = byNonce.get(nonce);
  if (ours !== undefined) ours.loses(run);
  else appendFileSync(lock, `\n${run}\n`); // a line of its own, whatever a crash left before it
}

/** True if a lock with this nonce was made by this process. */
export const isOurs = (nonce: string): boolean => byNonce.has(nonce);

export class ProcessFile implements KeptOpen {
  readonly #path: string;
  readonly #nonce: string;
  readonly #fd: number;
  readonly #next = Buffer.alloc(1);
  /** The count at which each run was taken away. */
  readonly #taken = new Map<RunId, number>();
  #count = 0;
  #size: number;
  #holds = 0;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #lookedAtTicks = Number.NEGATIVE_INFINITY;

  constructor(folder: string) {
    const mine = newHolder();
    const text = Buffer.from(holderText(mine));
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
    clearAway(folder);
    this.#nonce = mine.nonce;
    this.#path = join(folder, mine.nonce);
    this.#fd = openOwn(this.#path, 'make and read');
    removeAtExit(this.#path);
    writeSync(this.#fd, text); // OWNER-1
    this.#size = text.length;
    byNonce.set(mine.nonce, this);
  }

  /** Gives the file one more name. False where that is taken. */
  link(name: string): boolean {
    try {
      linkSync(this.#path, name);
      return true;
    } catch (thrown) {
      const code = codeOf(thrown);
      if (code === 'EEXIST') return false;
      const isGone = code === 'EMLINK' || (code === 'ENOENT' && !existsSync(this.#path));
      if (!isGone) throw thrown;
      this.#retire();
      throw new ProcessFileGone();
    }
  }

  /** Called before a run is locked. `isTaken` needs the number. Earlier lines do not count for a new run. */
  hold(run: RunId, isNew: boolean): number {
    if (this.#holds++ === 0) use(this);
    if (!isNew) return this.now();
    if (this.#taken.size > 0) this.#taken.delete(run);
    return 0;
  }

  /** Called after the run was given back. */
  unhold(): void {
    if (--this.#holds === 0) rest(this);
  }

  now(): number {
    this.#read();
    return ++this.#count;
  }

  loses(run: RunId): void {
    this.#taken.set(run, ++this.#count);
  }

  /** True if a run was taken away since then. */
  isTaken(run: RunId, since: number): boolean {
    this.#read();
    return (this.#taken.get(run) ?? 0) > since;
  }

  /** The same as of FRESH_MS ago, or later: one look is good for all runs of the process. */
  wasTaken(run: RunId, since: number): boolean {
    if (!this.#isFresh()) this.#read();
    return this.#taken.size > 0 && (this.#taken.get(run) ?? 0) > since;
  }

  /** Asks both clocks: one may be set, the other may stand still while the machine sleeps. */
  #isFresh(): boolean {
    const past = Date.now() - this.#lookedAt;
    return past >= 0 && past < FRESH_MS && performance.now() - this.#lookedAtTicks < FRESH_MS;
  }

  #read(): void {
    this.#lookedAt = Date.now();
    this.#lookedAtTicks = performance.now();
    if (readSync(this.#fd, this.#next, 0, 1, this.#size) === 0) return;
    const more = Buffer.alloc(fstatSync(this.#fd).size - this.#size);
    const text = more.toString('latin1', 0, readSync(this.#fd, more, 0, more.length, this.#size));
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    for (const run of whole.split('\n')) if (run !== '') this.loses(run);
    this.#size += whole.length;
  }

  /** The file stays in use for the locks that it made, but makes no more. */
  #retire(): void {
    for (const [root, file] of current) if (file === this) current.delete(root);
  }

  close(): void {
    this.#retire();
    byNonce.delete(this.#nonce);
    closeSync(this.#fd);
    leftAtExit.delete(this.#path);
    removeIfThere(this.#path);
  }
}

/** Also removes the file of a process that may be alive elsewhere, if no lock is left of it (OWNER-2). */
function clearAway(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const links = statSync(path, { throwIfNoEntry: false })?.nlink;
    if (links === undefined) continue;
    const standing = standingOf(parseHolder(textOf(path)));
    if (standing === 'dead' || (standing !== 'alive' && links === 1)) rmSync(path, { force: true });
  }
}

function textOf(path: string): string {
  try {
    return readOwn(path).toString('utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return ''; // its process has just removed it
    throw thrown;
  }
}

const leftAtExit = new Set<string>();
let isHooked = false;

/** A process that is killed leaves its file for the next process to remove. */
function removeAtExit(path: string): void {
  leftAtExit.add(path);
  if (isHooked) return;
  isHooked = true;
  process.once('exit', () => leftAtExit.forEach(removeIfThere));
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    return; // the next process removes it
  }
}
