// What Cadre 0.1.0 left behind, and what a process of it may still hold: new runs in <dir>/writers/<pid>-<mark>, a file
// for each process. Its first line says who the process is; each other line is `+` and the id of a run that it holds,
// or `-` and whatever was there before.

import { closeSync, readdirSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { RunId } from '../../journal/event.ts';
import { codeOf, openOwn, readOwn } from './disk.ts';
import { parseHolder, standingOf } from './holder.ts';
import type { HeldLock } from './lock.ts';

export interface FirstRelease {
  held(): ReadonlyMap<RunId, HeldLock>;
  /** Strikes a run off, as its process does when it gives it back. False where no process held it. */
  strikeOff(run: RunId): boolean;
}

export function firstRelease(root: string): FirstRelease {
  const folder = join(root, 'writers');
  return {
    held() {
      const held = new Map<RunId, HeldLock>();
      for (const file of filesIn(folder)) {
        const { head, places } = readPlaces(file);
        const holder = parseHolder(head);
        const standing = standingOf(holder);
        if (standing !== 'dead') for (const { run } of places) held.set(run, { holder, standing });
      }
      return held;
    },
    strikeOff(run) {
      let isHeld = false;
      for (const file of filesIn(folder)) {
        const found = readPlaces(file).places.find((place) => place.run === run);
        if (found === undefined) continue;
        overwrite(file, '-', found.at);
        isHeld = true;
      }
      return isHeld;
    },
  };
}

interface EventOffset {
  readonly run: RunId;
  /** In bytes from the beginning of the file. */
  readonly at: number;
}

function readPlaces(file: string): { readonly head: string; readonly places: readonly EventOffset[] } {
  const [head = '', ...lines] = readOwn(file).toString('latin1').split('\n');
  const places: EventOffset[] = [];
  let at = head.length + 1;
  for (const line of lines) {
    if (line.startsWith('+')) places.push({ run: line.slice(1).trimEnd(), at });
    at += line.length + 1;
  }
  return { head, places };
}

function overwrite(file: string, text: string, at: number): void {
  const fd = openOwn(file, 'change');
  try {
    writeSync(fd, text, at);
  } finally {
    closeSync(fd);
  }
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^\d+-[0-9a-f]+$/.test(name))
      .map((name) => join(folder, name));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT' || codeOf(thrown) === 'ENOTDIR') return [];
    throw thrown;
  }
}
