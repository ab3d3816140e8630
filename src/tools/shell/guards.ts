// What a command in a sandbox cannot change, although it lies in the workspace: the list that `files:write` keeps to.
// GUARD-1. What is there is mounted read-only, and every folder above it is a mount of its own, so that it stays in place.
// GUARD-2. A name that is missing gets a placeholder, empty and without the right to write, which is mounted read-only and
//     goes after the command. One that an ended process left has the same marks, and goes with the next command.
// GUARD-3. A placeholder in the place of some names would break git or Cadre while the command runs. What a command makes
//     there is set aside when it ends. The same holds for links, which cannot be mounts.

import type { Dirent } from 'node:fs';
import { lstat, readdir, readlink, realpath } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { glob } from '../../text/glob.ts';
import { secretIn } from '../../text/secret-names.ts';
import { gitSettings } from '../files/git-settings.ts';
import { MISSING_NAMES, programsIn, runsByItself } from '../files/runs-later.ts';

interface GuardRequest {
  /** Absolute, without links. */
  readonly workspace: string;
  /** Absolute paths of files and folders: Cadre's own. */
  readonly own: readonly string[];
  /** Paths that are open although they would be closed, relative to the workspace. */
  readonly allow: readonly string[];
}

/** Absolute paths in the workspace. */
export interface Guards {
  /** GUARD-1. */
  readonly readOnly: readonly string[];
  /** GUARD-2. */
  readonly missing: readonly { readonly path: string; readonly kind: 'file' | 'folder' }[];
  /** GUARD-3. What is there now, if it is a link: where it leads. */
  readonly watched: readonly { readonly path: string; readonly link?: string }[];
}

type Missing = Guards['missing'][number];

/** Of `.git`: what git runs, or is configured by. */
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

export async function guardsOf({ workspace, own, allow }: GuardRequest): Promise<Guards> {
  const git = await gitSettings(workspace);
  const open = allow.map(glob);
  const isOpen = (path: string): boolean => open.some((one) => one.matches(path) || one.holdsAllOf(path));
  const named = await namedIn(workspace, isOpen, git.hooks);
  const shown = (path: string): string => relative(workspace, path).split(sep).join('/');
  const closed = own.filter((path) => isInside(workspace, path) && !isOpen(shown(path)));
  const here = [...git.hooks, ...git.files].map((path) => join(workspace, path));
  const roots = MISSING_NAMES.filter(({ path }) => !isOpen(path) || runsByItself(path)).map(({ path, kind }) => ({
    path: join(workspace, path),
    kind,
  }));
  const wanted: readonly Missing[] = [
    ...[...named.paths, ...closed, ...here].map((path) => ({ path, kind: 'file' as const })),
    ...roots,
    { path: join(workspace, '.git'), kind: 'folder' },
    { path: join(workspace, '.cadre'), kind: 'folder' },
    ...named.repositories.flatMap((folder) => [
      ...GIT_FILES.map((name) => ({ path: join(folder, name), kind: 'file' as const })),
      ...GIT_FOLDERS.map((name) => ({ path: join(folder, name), kind: 'folder' as const })),
    ]),
  ];
  const watched = named.repositories.flatMap((folder) => GIT_WATCHED.map((name) => join(folder, name)));
  return sorted(wanted, watched, { workspace, repositories: named.repositories });
}

interface Named {
  readonly paths: readonly string[];
  /** The folders `.git`. */
  readonly repositories: readonly string[];
}

/** Files and folders whose names say that they are guarded. Links are named and not followed. */
async function namedIn(workspace: string, isOpen: (path: string) => boolean, hooks: readonly string[]): Promise<Named> {
  const paths: string[] = [];
  const repositories: string[] = [];
  const pending = [workspace];
  for (let count = 0; count < MOST_FOLDERS && pending.length > 0; count++) {
    const folder = pending.pop() ?? workspace;
    for (const entry of await entriesOf(folder)) {
      const path = join(folder, entry.name);
      const shown = relative(workspace, path).split(sep).join('/');
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

interface Places {
  readonly workspace: string;
  readonly repositories: readonly string[];
}

async function sorted(wanted: readonly Missing[], watched: readonly string[], at: Places): Promise<Guards> {
  const readOnly = new Set<string>();
  const missing = new Map<string, Missing>();
  const links: { path: string; link?: string }[] = [];
  for (const one of wanted) {
    if (at.repositories.includes(one.path)) continue; // parts of it are guarded
    const [first, ...above] = await upToThere(one.path, at.workspace);
    const stats = await lstat(one.path).catch(() => undefined);
    if (stats?.isSymbolicLink() === true) links.push({ path: one.path, link: await readlink(one.path) });
    if (stats !== undefined) {
      const real = await realpath(one.path).catch(() => undefined);
      if (real !== undefined && isInside(at.workspace, real)) readOnly.add(real);
    } else if (first !== undefined && one.path.endsWith(CONFIG_FILE)) links.push({ path: one.path });
    else if (first !== undefined) missing.set(first, { path: first, kind: above.length > 0 ? 'folder' : one.kind });
  }
  for (const path of watched) {
    if ((await lstat(path).catch(() => undefined)) === undefined) links.push({ path });
    else readOnly.add(path);
  }
  return { readOnly: [...readOnly], missing: [...missing.values()], watched: links };
}

/** The missing folders above a path and the path itself, the outermost first. Empty where a folder above is a link. */
async function upToThere(path: string, workspace: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (let at = path; isInside(workspace, at); at = dirname(at)) {
    const stats = await lstat(at).catch(() => undefined);
    if (stats !== undefined) return stats.isDirectory() ? names : [];
    names.unshift(at);
  }
  return names;
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '' && way !== '..' && !way.startsWith(`..${sep}`);
}
