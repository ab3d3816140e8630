// Tells what is at a path, without throwing: a path that leads nowhere, for any reason, counts as missing.

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

/** True if nothing is there. A path that is only closed to us, or a loop of links, is not missing. */
export function isMissing(path: string): boolean {
  try {
    statSync(path);
    return false;
  } catch (thrown) {
    return (thrown as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** The names of what a folder holds; empty if it cannot be read. */
export function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
