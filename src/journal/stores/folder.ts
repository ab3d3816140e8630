// What a run's folder holds: events.jsonl (the journal) and, while a process is at work on a run that it took up, lock.

import { existsSync, mkdirSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunId } from '../event.ts';
import { codeOf } from './disk.ts';

const LOCK = 'lock';

export interface RunFolder {
  readonly path: string;
  readonly events: string;
  readonly lock: string;
}

export function runFolder(runs: string, run: RunId): RunFolder {
  const path = `${runs}/${run}`;
  return { path, events: `${path}/events.jsonl`, lock: `${path}/${LOCK}` };
}

/** True when the folder is new, and so is empty: of all who ask at the same time, for one. */
export function makeFolder(path: string): boolean {
  try {
    return isMade(path);
  } catch (thrown) {
    if (codeOf(thrown) !== 'ENOENT') throw thrown;
    mkdirSync(dirname(path), { recursive: true });
    return isMade(path);
  }
}

function isMade(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/**
 * Removes a claimed run. The journal goes first, so that a run is whole or not there; the claim goes last, so that
 * nobody makes the run again before.
 */
export function clearFolder(folder: RunFolder, giveBack: () => void): void {
  try {
    rmSync(folder.events, { force: true });
    for (const name of existsSync(folder.path) ? readdirSync(folder.path) : []) {
      if (name !== LOCK) rmSync(join(folder.path, name), { recursive: true, force: true });
    }
  } finally {
    giveBack();
  }
  removeEmpty(folder.path);
}

/** Leaves it be where somebody has put something in it meanwhile. */
export function removeEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    return;
  }
}
