// The entries below a folder, in one fixed order. Links are named and never followed; folders of machinery and folders
// that may hold secrets are named and never entered. What is hidden is left out.

import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { errorCode, wayDown } from '../../base/disk/paths.ts';
import { secretIn } from '../../base/text/secret-names.ts';
import { inFolder } from './handle.ts';
import { besidesStore, type HidingRule } from './hidden.ts';
import { isSkippedFolder } from './machinery.ts';

export interface FileEntry {
  /** Absolute. */
  readonly real: string;
  /** Relative to the workspace, with forward slashes. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'skipped' | 'unreadable' | 'link' | 'secret' | 'other';
  /** The number of entries in a folder itself. */
  readonly children?: number;
}

export interface WorkspaceView extends HidingRule {
  /** Absolute, without links. */
  readonly root: string;
}

/** `folder` is absolute, without links, inside the root. */
export async function* walk(
  view: WorkspaceView,
  folder: string,
  depth = Number.POSITIVE_INFINITY,
): AsyncGenerator<FileEntry> {
  const pending = await entriesOf(view, folder, 1);
  pending?.reverse();
  for (let next = pending?.pop(); next !== undefined; next = pending?.pop()) {
    if (next.entry.kind !== 'folder') {
      yield next.entry;
      continue;
    }
    const inner = await entriesOf(view, next.entry.real, next.level + 1);
    yield inner === undefined ? { ...next.entry, kind: 'unreadable' } : { ...next.entry, children: inner.length };
    if (inner === undefined || next.level >= depth) continue;
    for (const entry of inner.reverse()) pending?.push(entry); // one by one: a call takes only so many arguments
  }
}

/** Undefined where the folder may not be read, or has been replaced by a link since it was named. */
async function entriesOf(
  { root, isHidden }: WorkspaceView,
  folder: string,
  level: number,
): Promise<{ readonly entry: FileEntry; readonly level: number }[] | undefined> {
  let children: Dirent[] | undefined;
  try {
    children = await inFolder(folder, (way) => readdir(way, { withFileTypes: true }));
  } catch (thrown) {
    if (isUnreadable(thrown)) return undefined;
    throw thrown;
  }
  if (children === undefined) return undefined;
  children.sort((a, b) => (a.name < b.name ? -1 : 1));
  const shown = besidesStore(children).filter(({ name }) => !isHidden(join(folder, name)));
  return shown.map((child) => {
    const real = join(folder, child.name);
    const path = wayDown(root, real);
    return { entry: { real, path, kind: kindOf(child, path) }, level };
  });
}

function kindOf(child: Dirent, path: string): FileEntry['kind'] {
  const isFolder = child.isDirectory();
  if (secretIn(path, isFolder ? 'folder' : 'file') !== undefined) return isFolder ? 'skipped' : 'secret';
  if (child.isSymbolicLink()) return 'link';
  if (isFolder) return isSkippedFolder(child.name) ? 'skipped' : 'folder';
  return child.isFile() ? 'file' : 'other';
}

/** A file or folder may be closed to this process, or be removed or replaced at any moment. */
export const isUnreadable = (thrown: unknown): boolean =>
  ['EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'ELOOP', 'ENAMETOOLONG'].includes(String(errorCode(thrown)));
