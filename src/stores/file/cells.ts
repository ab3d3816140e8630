// Cells as files: <dir>/<space>/<key>, with a comma for the "/" of a key. Names that begin with a comma are ours: drafts,
// locks, and what was set aside.
// FILE-CELL-1. A cell is a draft that gets its name by a link, which fails where there is one, or by a rename under a lock.
//              So it appears whole, and of all that put it one does (CELL-1).
// FILE-CELL-2. The version is the inode and the time of the file. We set the time, in microseconds and later than any that
//              this process set before: inodes are used again (CELL-2).
// FILE-CELL-3. A cell is replaced and deleted under a lock of its name. A touch takes none: who deletes moves the file away
//              first, and looks whether it is still the same.

import {
  closeSync,
  existsSync,
  fsyncSync,
  futimesSync,
  linkSync,
  lutimesSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type Cell, type Cells, type CellValue, checkKey, type Space } from '../../journal/cells.ts';
import { fail } from '../../kernel/fault.ts';
import { type CellPart, cellKeys, IGNORE_FILE, nameOfKey, readCell, versionAt } from './cell-files.ts';
import { watchCells } from './cell-watch.ts';
import { codeOf, openOwn, refuseLink, writeStep } from './disk.ts';
import { makeFolder } from './folder.ts';
import { newNonce } from './holder.ts';
import type { Fsync } from './lease.ts';
import { oneAtATime } from './lock.ts';

export function fileCells(
  root: string,
  {
    fsync,
    mark,
    warn,
  }: {
    readonly fsync: Fsync;
    /** Called before the first write. */
    mark(): void;
    warn(text: string): void;
  },
): Cells {
  const folderOf = spaceFolders(root);
  const fileOf = (space: Space, key: string): string => join(folderOf(space), nameOfKey(checkKey(key)));
  const inTurn = <Value>(space: Space, key: string, step: () => Value): Promise<Value> =>
    oneAtATime(root, join(folderOf(space), `,lock-${nameOfKey(key)}`), step);

  const setAside = async (space: Space, key: string): Promise<string | undefined> => {
    const aside = join(folderOf(space), `,aside-${nameOfKey(key)}-${newNonce()}`);
    return isDone(() => renameSync(fileOf(space, key), aside)) ? aside : undefined;
  };
  /** CELL-3 */
  const read = async (space: Space, key: string, part: CellPart): Promise<Cell | undefined> => {
    const found = readCell(fileOf(space, key), key, space, part);
    if (found === undefined || 'key' in found) return found;
    const aside = await setAside(space, key).catch(() => undefined); // we may not write here
    warn(
      `${fileOf(space, key)} cannot be used: ${found.wrong}.${aside === undefined ? '' : ` It is kept as ${aside}`}`,
    );
    return undefined;
  };
  const replace = (space: Space, key: string, draft: string, expected: string | undefined): Promise<boolean> =>
    inTurn(space, key, () => {
      const file = fileOf(space, key);
      if (expected !== undefined && versionAt(file) !== expected) return false;
      renameSync(draft, file);
      return true;
    });

  return {
    async get(space, key) {
      const file = fileOf(space, key);
      const found = readCell(file, key, space, 'bodies');
      if (found === undefined || 'key' in found) return found;
      return fail('journal/corrupt', `${file} cannot be used: ${found.wrong}. Remove it.`, { file });
    },
    async putIf(space, key, value, expected) {
      const file = fileOf(space, key);
      if (expected === 'absent' || typeof expected === 'object') {
        const standing = await read(space, key, 'heads');
        const isAsExpected =
          typeof expected === 'object' ? standing?.version === expected.version : standing === undefined;
        if (!isAsExpected) return { isPut: false, standing };
      }
      mark();
      const draft = join(folderOf(space), `,draft-${newNonce()}`);
      try {
        await writeDraft(draft, textOf(space, value), fsync);
        if (space.isSecret === true) keepApart(folderOf(space));
        const version = writeStep(file, () => versionAt(draft)) as string;
        const isPut =
          expected === 'absent'
            ? writeStep(file, () => isLinked(draft, file))
            : await replace(space, key, draft, typeof expected === 'object' ? expected.version : undefined);
        if (fsync === 'batch') syncFolder(folderOf(space));
        if (isPut) return { isPut, version };
      } finally {
        rmSync(draft, { force: true });
      }
      return { isPut: false, standing: await read(space, key, 'heads') };
    },
    touch: async (space, key) => isTouched(fileOf(space, key)),
    async list(space, prefix, { limit, order = 'up', with: part = 'heads' } = {}) {
      const keys = cellKeys(folderOf(space), prefix);
      if (order === 'down') keys.reverse();
      const found: Cell[] = [];
      for (const key of keys) {
        if (limit !== undefined && found.length >= limit) break;
        const cell = await read(space, key, part);
        if (cell !== undefined) found.push(cell);
      }
      return found;
    },
    async delete(space, key, version) {
      const file = fileOf(space, key);
      const standing = versionAt(file);
      if (standing === undefined || (version !== undefined && standing !== version)) return false;
      return inTurn(space, key, () =>
        version === undefined ? isDone(() => unlinkSync(file)) : isDeleted(file, version),
      );
    },
    setAside,
    watch: (space, first, told) => watchCells(folderOf(space), first, told),
  };
}

/** The folder of each space. Each run asks for one, so they are put together once. */
function spaceFolders(root: string): (space: Space) => string {
  const folders = new Map<string, string>();
  return ({ name }) => {
    const folder = folders.get(name) ?? join(root, name);
    folders.set(name, folder);
    return folder;
  };
}

let last = 0;

/**
 * The next time in seconds, later than any before (FILE-CELL-2). Node cuts times that it sets to whole microseconds, so
 * it is half of one more.
 */
function nextTime(): number {
  last = Math.max(last + 1, Date.now() * 1000);
  return (last + 0.5) / 1_000_000;
}

const SMALL_BYTES = 262_144;

const textOf = ({ holds }: Space, { head, body }: CellValue): Uint8Array =>
  holds === 'lines' ? Buffer.concat([Buffer.from(`${head}\n`), body]) : body;

/** A large cell is not written in one step, so that the process can do something else. */
async function writeDraft(draft: string, text: Uint8Array, fsync: Fsync): Promise<void> {
  const folder = dirname(draft);
  refuseLink(folder);
  if (!existsSync(folder)) writeStep(folder, () => makeFolder(folder));
  try {
    if (text.length > SMALL_BYTES) await writeFile(draft, text, { flag: 'wx', mode: 0o600, flush: fsync === 'batch' });
  } catch (thrown) {
    writeStep(draft, () => {
      throw thrown;
    });
  }
  writeStep(draft, () => {
    const fd = openOwn(draft, text.length > SMALL_BYTES ? 'change' : 'make');
    try {
      for (let written = 0; text.length <= SMALL_BYTES && written < text.length; )
        written += writeSync(fd, text, written);
      const time = nextTime();
      futimesSync(fd, time, time);
      if (fsync === 'batch') fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  });
}

/** A folder of secrets is in no commit, wherever the store lies. */
function keepApart(folder: string): void {
  const file = join(folder, IGNORE_FILE);
  if (existsSync(file)) return;
  writeStep(file, () => {
    const fd = openOwn(file, 'write');
    try {
      writeSync(fd, '*\n');
    } finally {
      closeSync(fd);
    }
  });
}

function isTouched(file: string): boolean {
  try {
    const time = nextTime();
    lutimesSync(file, time, time);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== 'ENOENT' && existsSync(file); // it is there, even if we may not touch it
  }
}

function isLinked(draft: string, file: string): boolean {
  try {
    linkSync(draft, file);
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'EEXIST') return false;
    throw thrown;
  }
}

/** FILE-CELL-3 */
function isDeleted(file: string, version: string): boolean {
  if (versionAt(file) !== version) return false;
  const gone = join(file, '..', `,gone-${newNonce()}`);
  if (!isDone(() => renameSync(file, gone))) return false;
  const isSame = versionAt(gone) === version;
  if (!isSame) isLinked(gone, file); // it was touched meanwhile
  unlinkSync(gone);
  return isSame;
}

/** The name of a new cell survives a loss of power too. */
function syncFolder(folder: string): void {
  const fd = openOwn(folder, 'read');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** False where it is gone. */
function isDone(step: () => void): boolean {
  try {
    step();
    return true;
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return false;
    throw thrown;
  }
}
