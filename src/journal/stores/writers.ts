// Which new runs each process is at work on: one file a process and store, <dir>/writers/<pid>-<mark>, that stays open.
// It begins with who the process is; then each line is a place for one run, `+` and its id while it is held.
// W1. A place is as long as the longest id, so a claim is one write, giving it back is one byte, and the file grows
//     with the runs held at the same time and not with those that were.
// W2. A file is written by its own process alone. It counts for nothing once that process is gone, and whoever finds it
//     then removes it. A mark is used once, so nobody removes the file of another.
// W3. A claim stands on the disk or is refused: where the file was deleted, it is written again first, whole.

import { closeSync, existsSync, mkdirSync, openSync, readdirSync, readFileSync, unlinkSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { fail } from '../../kernel/fault.ts';
import type { RunId } from '../event.ts';
import { codeOf } from './disk.ts';
import { type Holder, holderText, isAlive, newHolder, parseHolder } from './holder.ts';
import { type KeptOpen, rest, use } from './kept-open.ts';

export interface Writers {
  /** Writes down that this process holds a run. Throws what the disk throws. */
  hold(run: RunId): Place;
  /** The runs that living processes hold now. */
  held(): ReadonlyMap<RunId, Holder>;
}

export interface Place {
  giveBack(): void;
}

const ID_LENGTH = 128;
const LINE_LENGTH = ID_LENGTH + 2;
const FREE = Buffer.from('-');

export function writersIn(folder: string): Writers {
  const places: (RunId | undefined)[] = [];
  const free: number[] = [];
  let file: WriterFile | undefined;

  const close = (): void => {
    file?.remove();
    file = undefined;
  };
  const kept: KeptOpen = { close };
  const opened = (): WriterFile => {
    if (file?.isThere() === true) return file;
    close();
    file = makeFile(folder, places); // W3
    return file;
  };
  const giveBack = (index: number): void => {
    places[index] = undefined;
    free.push(index);
    if (free.length === places.length) rest(kept);
    file?.free(index);
  };

  return {
    hold(run) {
      use(kept);
      const index = free.pop() ?? places.length;
      places[index] = undefined;
      try {
        opened().take(index, run);
      } catch (thrown) {
        giveBack(index);
        throw thrown;
      }
      places[index] = run;
      return { giveBack: () => giveBack(index) };
    },
    held: () => heldIn(folder),
  };
}

interface WriterFile {
  isThere(): boolean;
  take(index: number, run: RunId): void;
  free(index: number): void;
  remove(): void;
}

/** With the runs that are held already. */
function makeFile(folder: string, places: readonly (RunId | undefined)[]): WriterFile {
  const mine = newHolder();
  const path = join(folder, `${mine.pid}-${mine.mark}`);
  const head = holderText(mine);
  mkdirSync(folder, { recursive: true });
  const fd = openSync(path, 'wx');
  const remove = (): void => {
    leftAtExit.delete(path);
    closeSync(fd);
    removeIfThere(path);
  };
  removeAtExit(path);
  try {
    writeWhole(fd, head + places.map(lineOf).join(''), 0);
  } catch (thrown) {
    remove();
    throw thrown;
  }
  const at = (index: number): number => head.length + index * LINE_LENGTH;
  return {
    isThere: () => existsSync(path),
    take: (index, run) => writeWhole(fd, lineOf(run), at(index)),
    free: (index) => void writeSync(fd, FREE, 0, 1, at(index)),
    remove,
  };
}

const lineOf = (run: RunId | undefined): string => `${run === undefined ? '-' : '+'}${(run ?? '').padEnd(ID_LENGTH)}\n`;

/** ASCII only. A disk that takes a part of it is full. */
function writeWhole(fd: number, text: string, position: number): void {
  if (writeSync(fd, text, position) === text.length) return;
  throw Object.assign(new Error('ENOSPC: only a part could be written'), { code: 'ENOSPC' });
}

/** Also clears away what dead processes left (W2). */
function heldIn(folder: string): ReadonlyMap<RunId, Holder> {
  const held = new Map<RunId, Holder>();
  for (const name of namesIn(folder)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1] ?? Number.NaN);
    if (Number.isNaN(pid)) continue;
    const path = join(folder, name);
    const [head = '', ...lines] = textOf(path).split('\n');
    const holder = parseHolder(head);
    if (!isAlive(holder ?? { pid, started: '' })) removeIfThere(path);
    else if (holder !== undefined) for (const run of runsOn(lines)) held.set(run, holder);
  }
  return held;
}

function* runsOn(lines: readonly string[]): Generator<RunId> {
  for (const line of lines) if (line.startsWith('+') && line.length === LINE_LENGTH - 1) yield line.slice(1).trimEnd();
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return ''; // its process has just removed it
    fail('journal/corrupt', `${path} cannot be read (${codeOf(thrown)}). Give this user read access to it.`);
  }
}

/** Best effort: a file of a dead process that stays is only read once more. */
function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    return;
  }
}

const leftAtExit = new Set<string>();
let isHooked = false;

/** A process that is killed leaves its file to whoever looks next. */
function removeAtExit(path: string): void {
  leftAtExit.add(path);
  if (isHooked) return;
  isHooked = true;
  process.once('exit', () => leftAtExit.forEach(removeIfThere));
}
