// Paths within a folder, as text alone, and the codes by which a system says what is wrong with one.

import { isAbsolute, relative, sep } from 'node:path';

/** True for the folder itself, and for what lies below it. Both paths are absolute. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
}

/** The way from a folder down to a path, with forward slashes. Empty for the folder itself. */
export const wayDown = (folder: string, path: string): string => relative(folder, path).split(sep).join('/');

/** `ENOENT` and the like. Undefined for what is no error of the system. */
export const errorCode = (thrown: unknown): unknown =>
  thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
