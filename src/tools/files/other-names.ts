// Files with several names (hard links). A name says nothing about what a file is, so one that has others is compared
// with closed files nearby: the hidden files, and in each folder from the workspace down to the file the names that
// hold secrets, with the files in folders of that kind. A closed file that lies elsewhere cannot be found this way.

import type { BigIntStats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { secretIn } from '../../base/text/secret-names.ts';
import { inFolder } from './handle.ts';
import { isUnreadable, type WorkspaceView } from './walk.ts';

/** The path of the closed file that is the same file; undefined where none is found. */
export async function closedNameOf(view: WorkspaceView, path: string, stats: BigIntStats): Promise<string | undefined> {
  if (stats.nlink < 2n) return undefined;
  const isIt = async (way: string): Promise<boolean> => {
    const other = await orNothing(lstat(way, { bigint: true }));
    return other !== undefined && other.ino === stats.ino && other.dev === stats.dev;
  };
  for (const hidden of view.hiddenPaths) if (await isIt(hidden)) return hidden;
  for (const folder of foldersDownTo(view.root, dirname(path))) {
    const found = await orNothing(inFolder(folder, (way) => closedIn(way, relative(view.root, folder), isIt)));
    if (found !== undefined) return join(folder, found);
  }
  return undefined;
}

/** Looks in the folder, and in its folders whose names may hold secrets: one level deep. */
async function closedIn(
  way: string,
  shown: string,
  isIt: (way: string) => Promise<boolean>,
): Promise<string | undefined> {
  for (const entry of await readdir(way, { withFileTypes: true })) {
    const isSuspect = secretIn(join(entry.name, '_'), 'file') !== undefined;
    const inner = entry.isDirectory() && isSuspect ? ((await orNothing(readdir(join(way, entry.name)))) ?? []) : [''];
    for (const name of inner) {
      const path = join(entry.name, name);
      if (secretIn(join(shown, path), 'file') !== undefined && (await isIt(join(way, path)))) return path;
    }
  }
  return undefined;
}

function foldersDownTo(root: string, folder: string): readonly string[] {
  return folder === root || dirname(folder) === folder ? [root] : [...foldersDownTo(root, dirname(folder)), folder];
}

/** A file that may not be read, or has gone, is not compared. */
async function orNothing<Value>(work: Promise<Value>): Promise<Value | undefined> {
  try {
    return await work;
  } catch (thrown) {
    if (isUnreadable(thrown)) return undefined;
    throw thrown;
  }
}
