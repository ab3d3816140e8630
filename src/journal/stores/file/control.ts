// Control messages of other processes to the runs of a store: <dir>/control/<run>.<order>.<id>.json, one file each.
// M1. A message is a draft that is renamed, so that it is seen whole or not at all.
// M2. The process that works on the run renames a message to .taken before it uses it, and a sender that takes it back
//     removes the .json. One of the two fails. So a message that was taken back is never recorded, and any other is
//     found again after a crash, until it is recorded and removed.
// M3. One watch serves all runs of this process in a store. It begins with the first of them, and ends some time after
//     the last, because runs follow each other: a further run costs no look at the disk.

import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type FolderWatch, watchFolder } from '../../../disk/folder-watch.ts';
import type { ControlMessage } from '../../../kernel/control.ts';
import { FaultError } from '../../../kernel/fault.ts';
import { MAX_MESSAGE_BYTES, messageText, parseMessage } from '../../control-message.ts';
import type { RunId } from '../../event.ts';
import { checkRunId } from '../../run-names.ts';
import type { CollectOptions, ControlQueue } from '../../store.ts';
import { codeOf, FOLDER_MODE, openOwn, refuseLink, writing } from './disk.ts';
import type { Fsync } from './lease.ts';

export interface FileControl extends ControlQueue {
  /** Removes what was said to a run that is gone. */
  forget(run: RunId): void;
  /** Removes what was said to runs that are gone, and what senders left that died. */
  collect(options: CollectOptions, isKnown: (run: RunId) => boolean): void;
}

interface Place {
  readonly fsync: Fsync;
  readonly warn: (text: string) => void;
  /** Throws `run/unknown`. */
  readonly known: (run: RunId) => void;
}

const NAME = /^(.+)\.\d{15}-\d{6}\.([A-Za-z0-9_-]{1,64})\.(json|taken|draft|unreadable)$/;

interface Named {
  readonly name: string;
  readonly run: RunId;
  readonly id: string;
  readonly ending: 'json' | 'taken' | 'draft' | 'unreadable';
}

function namedSo(name: string): Named | undefined {
  const [, run, id, ending] = NAME.exec(name) ?? [];
  return run === undefined ? undefined : ({ name, run, id, ending } as Named);
}

export function fileControl(root: string, { fsync, warn, known }: Place): FileControl {
  const folder = join(root, 'control');
  const all = (): readonly Named[] => filesIn(folder).flatMap((name) => namedSo(name) ?? []);
  const queued = (run: RunId): readonly Named[] =>
    all().filter((one) => one.run === run && (one.ending === 'json' || one.ending === 'taken'));
  const path = ({ name }: Named): string => join(folder, name);

  const layAside = (one: Named, why: string): void => {
    const aside = path(one).replace(/[a-z]+$/, 'unreadable');
    if (!isMoved(path(one), aside)) return;
    warn(`A message to run ${one.run} is not understood: ${why}. It is not delivered, and is kept as ${aside}`);
  };
  /** Undefined if its sender has taken it back or it cannot be used. */
  const taken = (one: Named): ControlMessage | undefined => {
    const read = readMessage(path(one), one);
    if (read === undefined) return undefined;
    if ('wrong' in read) {
      layAside(one, read.wrong);
      return undefined;
    }
    const isTaken = one.ending === 'taken' || isMoved(path(one), path(one).replace(/json$/, 'taken'));
    return isTaken ? read.message : undefined; // M2
  };

  return {
    async post(run, message) {
      known(checkRunId(run));
      const text = messageText(run, message);
      const file = join(folder, `${run}.${nextOrder()}.${message.id}`);
      writing(`${file}.json`, () => write(folder, file, text, fsync));
      try {
        known(run);
      } catch (thrown) {
        isRemoved(`${file}.json`);
        throw thrown;
      }
    },
    async pending(run) {
      const found = new Map<string, ControlMessage>();
      for (const one of queued(checkRunId(run))) {
        const message = taken(one);
        if (message !== undefined && !found.has(one.id)) found.set(one.id, message);
      }
      return [...found.values()];
    },
    async posted(run) {
      const found = new Map<string, ControlMessage>();
      for (const one of queued(checkRunId(run))) {
        const read = readMessage(path(one), one);
        if (read !== undefined && 'message' in read && !found.has(one.id)) found.set(one.id, read.message);
      }
      return [...found.values()];
    },
    async withdraw(run, id) {
      const own = queued(checkRunId(run)).filter((one) => one.id === id);
      const removed = own.filter((one) => one.ending === 'json' && isRemoved(path(one))); // M2
      return removed.length > 0 && removed.length === own.length;
    },
    async remove(run, ids) {
      for (const one of queued(checkRunId(run))) if (ids.includes(one.id)) isRemoved(path(one));
    },
    watch: (run, told) => watchQueue(folder, checkRunId(run), told),

    forget(run) {
      for (const one of all()) if (one.run === run) rmSync(path(one), { recursive: true, force: true });
    },
    collect({ before }, isKnown) {
      for (const one of all()) {
        if (one.ending !== 'draft' && isKnown(one.run)) continue;
        const changedAt = lstatSync(path(one), { throwIfNoEntry: false })?.mtimeMs ?? before;
        if (changedAt < before) rmSync(path(one), { recursive: true, force: true });
      }
    },
  };
}

let last = { at: 0, count: 0 };

/** Sorts by time, also where the clock is set back and where many are posted at once. */
function nextOrder(): string {
  const now = Date.now();
  last = now > last.at ? { at: now, count: 0 } : { at: last.at, count: last.count + 1 };
  return `${String(last.at).padStart(15, '0')}-${String(last.count).padStart(6, '0')}`;
}

/** M1 */
function write(folder: string, file: string, text: string, fsync: Fsync): void {
  refuseLink(folder);
  mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  const draft = `${file}.draft`;
  try {
    writeFileSync(draft, text, { flag: 'wx', mode: 0o600, flush: fsync === 'batch' });
    renameSync(draft, `${file}.json`);
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
  if (fsync === 'batch') syncFolder(folder);
}

function syncFolder(folder: string): void {
  const fd = openOwn(folder, 'read');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Undefined where it is gone. */
function readMessage(file: string, { run, id }: Named): ReturnType<typeof parseMessage> | undefined {
  try {
    const fd = openOwn(file, 'read');
    try {
      const stats = fstatSync(fd);
      if (!stats.isFile()) return { wrong: 'it is not a regular file' };
      if (stats.size > MAX_MESSAGE_BYTES) return { wrong: `it has more than ${MAX_MESSAGE_BYTES} bytes` };
      const parsed = parseMessage(readFileSync(fd, 'utf8'), run);
      return 'wrong' in parsed || parsed.message.id === id ? parsed : { wrong: 'its id is not that of its file' };
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    if (thrown instanceof FaultError) return { wrong: 'it is a link' };
    if (codeOf(thrown) === 'EACCES') return { wrong: 'this user may not read it' };
    throw thrown;
  }
}

/** In order. */
function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return []; // avoids the error that readdir makes before the first message
  refuseLink(folder);
  try {
    return readdirSync(folder).sort();
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

/** False where it is gone. */
const isRemoved = (file: string): boolean => isDone(() => unlinkSync(file));
const isMoved = (from: string, to: string): boolean => isDone(() => renameSync(from, to));

function isDone(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}

/** M3. By the folder of their store. */
const watches = new Map<string, QueueWatch>();

/** How long a watch without runs stays open. */
const IDLE_MS = 1000;

function watchQueue(folder: string, run: RunId, told: () => void): () => void {
  let watch = watches.get(folder);
  if (watch === undefined) watches.set(folder, (watch = new QueueWatch(folder, () => watches.delete(folder))));
  return watch.add(run, told);
}

class QueueWatch {
  readonly #runs = new Map<RunId, Set<() => void>>();
  readonly #folder: string;
  readonly #ended: () => void;
  #watch: FolderWatch | undefined;
  #isToRest = false;
  /** What lay in the folder at the last look. */
  #seen: ReadonlySet<string> = new Set();

  constructor(folder: string, ended: () => void) {
    this.#folder = folder;
    this.#ended = ended;
  }

  add(run: RunId, told: () => void): () => void {
    const tells = this.#runs.get(run) ?? new Set();
    this.#runs.set(run, tells.add(told));
    if (this.#watch === undefined) this.#begin();
    return () => {
      tells.delete(told);
      if (tells.size > 0 || this.#runs.get(run) !== tells) return;
      this.#runs.delete(run);
      if (this.#runs.size > 0 || this.#isToRest) return;
      this.#isToRest = true;
      setTimeout(() => this.#rest(), IDLE_MS).unref();
    };
  }

  #begin(): void {
    makeFolderIfPossible(this.#folder);
    this.#watch = watchFolder(this.#folder, (name) => {
      if (name === undefined) this.#look();
      else this.#tell(name);
    });
    setImmediate(() => this.#look()).unref(); // what was posted before the watch began
  }

  /** Tells the runs for which something came or went. */
  #look(): void {
    const now = new Set(filesIfPossible(this.#folder));
    const before = this.#seen;
    this.#seen = now;
    for (const name of now) if (!before.has(name)) this.#tell(name);
    for (const name of before) if (!now.has(name)) this.#tell(name);
  }

  #tell(name: string): void {
    const found = namedSo(name);
    if (found?.ending !== 'json' && found?.ending !== 'taken') return;
    for (const told of this.#runs.get(found.run) ?? []) told();
  }

  #rest(): void {
    this.#isToRest = false;
    if (this.#runs.size > 0) return;
    this.#watch?.close();
    this.#ended();
  }
}

/** In a store that cannot be written there is nothing to watch for, because no process can post. */
function makeFolderIfPossible(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  } catch {
    return;
  }
}

/** A folder that cannot be read is an error for the caller that asks for the messages in it. */
function filesIfPossible(folder: string): readonly string[] {
  try {
    return filesIn(folder);
  } catch {
    return [];
  }
}
