// Tells when files of the served folder may have changed: agent files, cadre.yaml, .env, scripts and functions. Every
// folder that is read is watched, not what lies outside of it, nor stores and packages.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { watchFolder } from '../base/disk/folder-watch.ts';

/** Editors write a file in several steps. */
const GATHER_MS = 100;
/** More folders than these are not agents, and watching has its price. */
const MOST_FOLDERS = 2000;

/** `changed` is called a moment after the last change. */
export function watchFiles(root: string, changed: () => void): { close(): void } {
  const watches = new Map<string, { close(): void }>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const told = (name: string | undefined): void => {
    if (isClosed || (name !== undefined && isLeftOut(name))) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      follow();
      changed();
    }, GATHER_MS).unref();
  };
  /** Watches folders that are new, and no longer those that are gone. */
  const follow = (): void => {
    const folders = new Set(foldersIn(root));
    for (const [folder, watch] of watches) {
      if (folders.has(folder)) continue;
      watch.close();
      watches.delete(folder);
    }
    for (const folder of folders) if (!watches.has(folder)) watches.set(folder, watchFolder(folder, told));
  };
  follow();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      for (const watch of watches.values()) watch.close();
    },
  };
}

/** `.env` says what variables hold; other names with a dot are stores, tools and drafts of editors. */
const isLeftOut = (name: string): boolean =>
  (name.startsWith('.') && name !== '.env') || name === 'node_modules' || name.endsWith('~');

function foldersIn(root: string): readonly string[] {
  const found = [root];
  for (let next = 0; next < found.length && found.length < MOST_FOLDERS; next++) {
    const folder = found[next] as string;
    for (const name of subfolders(folder)) found.push(join(folder, name));
  }
  return found;
}

function subfolders(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory() && !isLeftOut(entry.name))
      .map(({ name }) => name);
  } catch {
    return []; // gone, or closed to us: the check says so
  }
}
