// The names of the folders of runs, in order, whichever process makes and removes them.
// NAMES-1. A look misses nothing that was made or removed before it. The first look reads the folder. From the second one
//          on we watch it: after a turn of the event loop, the system has told of all that happened before.
// NAMES-2. The system may drop news when very many come at once. So the folder is read again after some time, if it changed.
// NAMES-3. Where no watch can be relied on, each look reads the folder: on a shared file system, or outside of Linux.

import { readdirSync, type Stats, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { type FolderWatch, watchFolder } from '../../base/disk/folder-watch.ts';
import type { RunId } from '../../journal/event.ts';
import { isRunId } from '../../journal/run-names.ts';
import { fail } from '../../kernel/fault.ts';
import { OrderedRuns } from '../ordered-runs.ts';
import { codeOf } from './disk.ts';

/** A watch that nobody looked at for so long is closed. */
const IDLE_MS = 30_000;
/** The age at which a folder that has changed is read again (NAMES-2). */
const OLD_MS = 60_000;
/** With more news than this, reading the folder costs less. */
const MOST_NEWS = 5000;

/** Gets what a look has found to be there, or to be gone. */
interface NamesListener {
  came(run: RunId): void;
  went(run: RunId): void;
}

export class RunFolderNames {
  readonly #path: string;
  readonly #listener: NamesListener;
  readonly #runs = new OrderedRuns();
  #isRead = false;
  #watch: FolderWatch | undefined;
  #idle: NodeJS.Timeout | undefined;
  /** Names of which the watch told since the last look. Undefined: the folder must be read. */
  #news: Set<string> | undefined;
  /** The folder as it was when it was read. */
  #read: { readonly at: number; readonly inode: number; readonly changed: number } | undefined;

  constructor(path: string, listener: NamesListener) {
    this.#path = path;
    this.#listener = listener;
  }

  /** One call at a time. */
  async look(): Promise<OrderedRuns> {
    const found = statSync(this.#path, { throwIfNoEntry: false });
    if (this.#isToWatch(found)) this.#beginToWatch();
    if (this.#watch !== undefined) await newsHaveCome();
    if (this.#watch?.isPolled === true) this.#stop();
    if (this.#news === undefined || this.#isOther(found)) this.#readAll(found);
    const news = this.#news;
    if (news !== undefined) this.#news = new Set();
    for (const name of news ?? []) this.#lookAt(name);
    return this.#runs;
  }

  #isToWatch(found: Stats | undefined): boolean {
    return process.platform === 'linux' && this.#watch === undefined && this.#isRead && found !== undefined;
  }

  #beginToWatch(): void {
    this.#news = undefined; // what happened before is not told
    this.#watch = watchFolder(this.#path, (name) => {
      if (name === undefined || (this.#news?.size ?? 0) >= MOST_NEWS) this.#news = undefined;
      else this.#news?.add(name);
    });
    this.#idle ??= setTimeout(() => this.#stop(), IDLE_MS).unref();
  }

  #stop(): void {
    this.#watch?.close();
    this.#watch = undefined;
    this.#news = undefined;
    clearTimeout(this.#idle);
    this.#idle = undefined;
  }

  /** It is another folder than the one that we watch, or one that has changed for long (NAMES-2). */
  #isOther(found: Stats | undefined): boolean {
    this.#idle?.refresh();
    const read = this.#read;
    if (read === undefined || found?.ino !== read.inode) {
      this.#stop();
      return true;
    }
    return found.mtimeMs !== read.changed && performance.now() - read.at > OLD_MS;
  }

  #readAll(found: Stats | undefined): void {
    const before = this.#isRead ? new Set(this.#runs.all()) : undefined;
    const now = runsIn(this.#path);
    this.#runs.fill(now);
    this.#isRead = true;
    this.#news = this.#watch === undefined ? undefined : new Set();
    this.#read = found === undefined ? undefined : { at: performance.now(), inode: found.ino, changed: found.mtimeMs };
    if (before === undefined) return;
    for (const run of now) if (!before.delete(run)) this.#listener.came(run);
    for (const run of before) this.#listener.went(run);
  }

  #lookAt(name: string): void {
    if (!isRunId(name)) return;
    const isThere = statSync(`${this.#path}/${name}`, { throwIfNoEntry: false })?.isDirectory() === true;
    if (isThere && this.#runs.add(name)) this.#listener.came(name);
    if (!isThere && this.#runs.delete(name)) this.#listener.went(name);
  }
}

/** An immediate of this turn may come before the system is asked for news, that of the next one comes after it. */
async function newsHaveCome(): Promise<void> {
  await setImmediate();
  await setImmediate();
}

/** In no order. */
export function runsIn(path: string): readonly RunId[] {
  const found: RunId[] = [];
  for (const entry of entriesOf(path)) if (entry.isDirectory() && isRunId(entry.name)) found.push(entry.name);
  return found;
}

function entriesOf(path: string) {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    fail('journal/corrupt', `${path} cannot be read (${codeOf(thrown)}). It must be a folder that this user may read.`);
  }
}
