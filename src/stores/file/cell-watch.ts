// Watches the cells of a space. One watch serves all that this process waits for in a folder: it begins with the first of
// them, and ends some time after the last, because runs follow each other. A further run costs no look at the disk.

import { mkdirSync } from 'node:fs';
import { type FolderWatch, watchFolder } from '../../base/disk/folder-watch.ts';
import { firstOfKey } from '../../journal/cells.ts';
import { cellNames, keyOfName } from './cell-files.ts';
import { FOLDER_MODE } from './disk.ts';

/** The watches by folder. */
const watches = new Map<string, CellWatch>();

/** The time for which a watch for nothing stays open. */
const IDLE_MS = 1000;

/** Tells of cells whose first part is this. */
export function watchCells(folder: string, first: string, told: () => void): () => void {
  let watch = watches.get(folder);
  if (watch === undefined) watches.set(folder, (watch = new CellWatch(folder, () => watches.delete(folder))));
  return watch.add(first, told);
}

class CellWatch {
  readonly #waiting = new Map<string, Set<() => void>>();
  readonly #folder: string;
  readonly #ended: () => void;
  #watch: FolderWatch | undefined;
  #isToRest = false;
  /** The names in the folder at the last look. */
  #seen: ReadonlySet<string> = new Set();

  constructor(folder: string, ended: () => void) {
    this.#folder = folder;
    this.#ended = ended;
  }

  add(first: string, told: () => void): () => void {
    const tells = this.#waiting.get(first) ?? new Set();
    this.#waiting.set(first, tells.add(told));
    if (this.#watch === undefined) this.#begin();
    return () => {
      tells.delete(told);
      if (tells.size > 0 || this.#waiting.get(first) !== tells) return;
      this.#waiting.delete(first);
      if (this.#waiting.size > 0 || this.#isToRest) return;
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
    setImmediate(() => this.#look()).unref(); // what was put before the watch began
  }

  /** Tells of what came or went. */
  #look(): void {
    const now = new Set(namesIfPossible(this.#folder));
    const before = this.#seen;
    this.#seen = now;
    for (const name of now) if (!before.has(name)) this.#tell(name);
    for (const name of before) if (!now.has(name)) this.#tell(name);
  }

  #tell(name: string): void {
    const key = keyOfName(name);
    if (key === undefined) return;
    for (const told of this.#waiting.get(firstOfKey(key)) ?? []) told();
  }

  #rest(): void {
    this.#isToRest = false;
    if (this.#waiting.size > 0) return;
    this.#watch?.close();
    this.#ended();
  }
}

/**
 * Makes the folder, if the store can be written. In one that cannot, there is nothing to watch for, because no process
 * can put a cell.
 */
function makeFolderIfPossible(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: FOLDER_MODE });
  } catch {
    return;
  }
}

/** A folder that cannot be read is an error for the caller that lists it. */
function namesIfPossible(folder: string): readonly string[] {
  try {
    return cellNames(folder);
  } catch {
    return [];
  }
}
