// The paths that a command in a sandbox cannot change, although they lie in the workspace: the list that `files:write`
// keeps to.
// GUARD-1. What is there is mounted read-only, and every folder above it is a mount of its own, so that it stays in
//     place.
// GUARD-2. A name that is missing gets a placeholder, which is mounted read-only and goes after the command. One that
//     an ended process left has the same mark, and goes with the next command. In the workspace it is an empty folder:
//     git would add an empty file.
// GUARD-3. A placeholder in the place of some names would break git, Cadre or a program that runs meanwhile. What a
//     command makes there is set aside when it ends. The same holds for links, which cannot be mounts.

import type { Dirent } from 'node:fs';
import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isInside, wayDown } from '../../base/disk/paths.ts';
import { glob } from '../../base/text/glob.ts';
import { secretIn } from '../../base/text/secret-names.ts';
import { gitSettings } from '../files/git-settings.ts';
import { MISSING_NAMES, programsIn, runsByItself, SET_ASIDE_NAMES } from '../files/runs-later.ts';
import { isStartFile } from '../files/start-files.ts';
import type { MissingName, WatchedName } from './guarded-names.ts';
import { isPlaceholder } from './placeholders.ts';

/** Absolute paths in the workspace. */
export interface Guards {
  /** GUARD-1. */
  readonly readOnly: readonly string[];
  /** GUARD-2. */
  readonly missing: readonly MissingName[];
  /** GUARD-3. */
  readonly watched: readonly WatchedName[];
}

/** The files of `.git` that git runs, or is configured by. */
const GIT_FILES = ['config', 'config.worktree'];
const GIT_FOLDERS = ['hooks', 'info', 'modules', 'worktrees', 'branches', 'remotes', 'objects/info'];
/** A placeholder here would be a broken repository, or a rebase under way. */
const GIT_WATCHED = [
  'commondir',
  'rebase-merge/git-rebase-todo',
  'rebase-merge/git-rebase-todo.backup',
  'sequencer/todo',
];
const CONFIG_FILE = 'cadre.yaml';
/** A workspace may be very large. */
const MOST_FOLDERS = 20_000;

export async function guardsOf({
  workspace,
  own,
  read,
  allow,
}: {
  /** Absolute, without links. */
  readonly workspace: string;
  /** Absolute paths of files and folders: Cadre's own. */
  readonly own: readonly string[];
  /** Those of them that a run or a program reads when it begins (GUARD-3). */
  readonly read: readonly string[];
  /** Paths that are open although they would be closed, relative to the workspace. */
  readonly allow: readonly string[];
}): Promise<Guards> {
  const git = await gitSettings(workspace);
  const open = allow.map(glob);
  const isOpen = (path: string): boolean => open.some((one) => one.matches(path) || one.holdsAllOf(path));
  const named = await namedIn(workspace, isOpen, git.hooks);
  const shown = (path: string): string => wayDown(workspace, path);
  const closed = own.filter((path) => isBelow(workspace, path) && !isOpen(shown(path)));
  const wanted: readonly GuardedPath[] = [
    ...[...named.paths, ...git.files.map((path) => join(workspace, path))].map((path) => ({ path })),
    ...closed.map((path) => ({ path, ...ifMissing(path, read.includes(path)) })),
    ...git.hooks.map((path) => folderAt(join(workspace, path))),
    ...MISSING_NAMES.filter((path) => !isOpen(path) || runsByItself(path)).map((path) =>
      folderAt(join(workspace, path)),
    ),
    ...SET_ASIDE_NAMES.map((path): GuardedPath => ({ path: join(workspace, path), missing: 'watched' })),
    folderAt(join(workspace, '.git')),
    ...named.repositories.flatMap((folder) => [
      ...GIT_FILES.map((name): GuardedPath => ({ path: join(folder, name), missing: 'file' })),
      ...GIT_FOLDERS.map((name) => folderAt(join(folder, name))),
      ...GIT_WATCHED.map((name): GuardedPath => ({ path: join(folder, name), missing: 'watched' })),
    ]),
  ];
  return sorted(wanted, { workspace, repositories: named.repositories });
}

interface GuardedPath {
  readonly path: string;
  /** The remedy if it is missing: a placeholder of this kind, or GUARD-3. Absent: none. */
  readonly missing?: 'file' | 'folder' | 'watched';
}

const folderAt = (path: string): GuardedPath => ({ path, missing: 'folder' });

/** GUARD-3. Another run may begin meanwhile, and reads these. */
const READ_BY_CADRE: ReadonlySet<string> = new Set([CONFIG_FILE, '.env']);
/** Its folder, as a placeholder, would be a package that Python finds. */
const PYTHON_PACKAGE = /^__(?:init|main)__\.py$/;
const PROGRAM = /\.(?:[cm]?[jt]s|py|sh|rb)$/;

/** Recordings and stores are made by Cadre itself, whenever it needs them. */
function ifMissing(path: string, isRead: boolean): Pick<GuardedPath, 'missing'> {
  const name = basename(path);
  if (READ_BY_CADRE.has(name) || PYTHON_PACKAGE.test(name) || isStartFile(path)) return { missing: 'watched' };
  if (PROGRAM.test(name)) return { missing: 'folder' };
  return isRead ? { missing: 'watched' } : {};
}

/** Files and folders whose names say that they are guarded. Links are named and not followed. */
async function namedIn(
  workspace: string,
  isOpen: (path: string) => boolean,
  hooks: readonly string[],
): Promise<{
  readonly paths: readonly string[];
  /** The folders `.git`. */
  readonly repositories: readonly string[];
}> {
  const paths: string[] = [];
  const repositories: string[] = [];
  const pending = [workspace];
  for (let count = 0; count < MOST_FOLDERS && pending.length > 0; count++) {
    const folder = pending.pop() ?? workspace;
    for (const entry of await entriesOf(folder)) {
      const path = join(folder, entry.name);
      const shown = wayDown(workspace, path);
      const lower = shown.toLowerCase();
      const isFolder = entry.isDirectory();
      if (entry.name.toLowerCase() === '.git') (isFolder ? repositories : paths).push(path);
      else if (runsByItself(lower, hooks)) paths.push(path);
      else if (isOpen(shown)) continue;
      else if (programsIn(lower) !== undefined || entry.name.toLowerCase() === '.cadre') paths.push(path);
      else if (secretIn(lower, isFolder ? 'folder' : 'file') !== undefined || lower.endsWith(`/${CONFIG_FILE}`))
        paths.push(path);
      else if (isFolder) pending.push(path);
    }
  }
  return { paths, repositories };
}

/** A folder that may not be read is one that a command cannot read either, or that has gone. */
const entriesOf = (folder: string): Promise<readonly Dirent[]> =>
  readdir(folder, { withFileTypes: true }).catch(() => []);

async function sorted(
  wanted: readonly GuardedPath[],
  at: { readonly workspace: string; readonly repositories: readonly string[] },
): Promise<Guards> {
  const readOnly = new Set<string>();
  const missing = new Map<string, MissingName>();
  const watched: WatchedName[] = [];
  for (const { path, missing: kind } of wanted) {
    if (at.repositories.includes(path)) continue; // parts of it are guarded
    const stats = (await isPlaceholder(path)) ? undefined : await lstat(path).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) watched.push({ path, link: await readlink(path) });
    if (stats !== undefined) {
      const real = await realpath(path).catch(() => undefined);
      if (real !== undefined && isBelow(at.workspace, real)) readOnly.add(real);
    } else if (kind === 'watched') watched.push({ path });
    else if (kind !== undefined) {
      const [first, ...inner] = await upToThere(path, at.workspace);
      if (first !== undefined) missing.set(first, { path: first, kind: inner.length > 0 ? 'folder' : kind });
    }
  }
  return { readOnly: [...readOnly], missing: [...missing.values()], watched };
}

/** The missing folders above a path and the path itself, the outermost first. Empty where a folder above is a link. */
async function upToThere(path: string, workspace: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (let at = path; isBelow(workspace, at); at = dirname(at)) {
    const stats = (await isPlaceholder(at)) ? undefined : await lstat(at).catch(() => undefined);
    if (stats !== undefined) return stats.isDirectory() ? names : [];
    names.unshift(at);
  }
  return names;
}

/** The folder itself is not below it. */
export const isBelow = (folder: string, path: string): boolean => path !== folder && isInside(folder, path);
