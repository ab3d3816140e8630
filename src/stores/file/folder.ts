// The files in a run's folder: events.jsonl (the journal) and, while a process writes the run, lock. While the run is
// taken over, also taken-over. Everything else in it is a draft that a process which died has left.

import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunId } from '../../journal/event.ts';
import { codeOf, FOLDER_MODE } from './disk.ts';

const LOCK = 'lock';

export interface RunFolder {
  readonly path: string;
  readonly events: string;
  readonly lock: string;
  /** There while a process that was fenced may still have the journal open. */
  readonly takenOver: string;
}

export function runFolder(runs: string, run: RunId): RunFolder {
  const path = `${runs}/${run}`;
  return { path, events: `${path}/events.jsonl`, lock: `${path}/${LOCK}`, takenOver: `${path}/taken-over` };
}

/** True when the folder is new and therefore empty. Of all who ask at the same time, one gets true. */
export function makeFolder(path: string): boolean {
  try {
    return isMade(path);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
    mkdirSync(dirname(path), { recursive: true, mode: FOLDER_MODE });
    return isMade(path);
  }
}

function isMade(path: string): boolean {
  try {
    mkdirSync(path, FOLDER_MODE);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/** Removes what others left or are about to use. Only a process that has just taken the lock may call it. */
export function clearDrafts(folder: RunFolder): void {
  for (const name of namesIn(folder)) {
    if (name.endsWith('.draft') || name.startsWith(`${LOCK}.`)) rmSync(join(folder.path, name), { force: true });
  }
}

/**
 * Removes a locked run. The journal goes first, so that a run is whole or not there; the lock goes last, so that
 * no process makes the run again before that.
 */
export function clearFolder(folder: RunFolder, release: () => void): void {
  try {
    rmSync(folder.events, { force: true });
    for (const name of namesIn(folder)) {
      if (name !== LOCK) rmSync(join(folder.path, name), { recursive: true, force: true });
    }
  } finally {
    release();
  }
  removeEmpty(folder.path);
}

export const namesIn = ({ path }: RunFolder): readonly string[] => (existsSync(path) ? readdirSync(path) : []);

/** Keeps the folder if another process has put something in it meanwhile. */
export function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    return;
  }
}
