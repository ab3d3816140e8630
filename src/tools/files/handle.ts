// Open files and where they lie. A path may lead elsewhere from one moment to the next; an open file or folder stays
// what it is, so it is opened first and checked afterwards. Linux tells where a handle leads. Elsewhere the path is
// looked at again, which leaves a moment in which a folder can be swapped.

import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, stat } from 'node:fs/promises';
import { errorCode } from '../../base/disk/paths.ts';

const folderFlags = constants.O_RDONLY | (constants.O_DIRECTORY ?? 0) | (constants.O_NOFOLLOW ?? 0);
const tellsHandles = process.platform === 'linux';
const wayTo = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`;

/** True if the open file lies at this path, which has no links in it. `opened` is the handle's own description. */
export async function liesAt(handle: FileHandle, opened: BigIntStats, path: string): Promise<boolean> {
  const place = await placeOf(handle);
  if (place !== undefined) return isSame(place, path);
  const real = await realpath(path);
  const now = await stat(real, { bigint: true });
  return real === path && now.ino === opened.ino && now.dev === opened.dev;
}

/**
 * Returns the result of `use` for an open folder. It gets a path that leads to that folder, even if its name changes
 * meanwhile. Undefined if the folder is no longer at its path, which has no links in it.
 */
export async function inFolder<Value>(
  folder: string,
  use: (way: string) => Promise<Value>,
): Promise<Value | undefined> {
  if (!tellsHandles) return (await realpath(folder)) === folder ? await use(folder) : undefined;
  const handle = await open(folder, folderFlags);
  try {
    const place = await placeOf(handle);
    if (place === undefined) return (await realpath(folder)) === folder ? await use(folder) : undefined;
    return isSame(place, folder) ? await use(wayTo(handle)) : undefined;
  } finally {
    await handle.close();
  }
}

/** The path of an open file, without links. Undefined if the system does not tell, as in a container without /proc. */
async function placeOf(handle: FileHandle): Promise<string | undefined> {
  if (!tellsHandles) return undefined;
  try {
    return await readlink(wayTo(handle));
  } catch (thrown) {
    if (errorCode(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

/** A file system that accepts two spellings of a name may report either. */
const isSame = (one: string, other: string): boolean => one === other || one.toLowerCase() === other.toLowerCase();
