// What stands at a path, without a throw: a path that leads nowhere, for whatever reason, is simply not there.

import { readdirSync, type Stats, statSync } from 'node:fs';

export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

export const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() === true;
export const isFile = (path: string): boolean => statsOf(path)?.isFile() === true;

/** Nothing stands there; said of no path that is only closed to us, or a loop of links. */
export function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** The names of what a folder holds; none where it cannot be read. */
export function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
