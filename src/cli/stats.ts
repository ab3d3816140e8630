// What stands at a path, without a throw: a path that leads nowhere, for whatever reason, is simply not there.

import { type Stats, statSync } from 'node:fs';

export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

export const isFolder = (path: string): boolean => statsOf(path)?.isDirectory() === true;
export const isFile = (path: string): boolean => statsOf(path)?.isFile() === true;
