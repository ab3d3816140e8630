// The sandbox of a command: bubblewrap, where it is installed and can make namespaces. The command sees the whole machine
// read-only, but for sign-ins and keys, with a /tmp of its own; it can write in the workspace alone, and not to the files that say what agents do.
// It has processes of its own, which end with it, and no network unless that is allowed.

import { mkdir, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { findCommand } from '../../base/disk/find-command.ts';
import { asRecorded } from '../../kernel/redacted.ts';
import { redactedExcerpt } from '../cut.ts';

/** Says if commands can be put into a sandbox here, and why not. */
export type SandboxState =
  | { readonly kind: 'bubblewrap'; readonly program: string }
  | { readonly kind: 'none'; readonly why: string };

const PROBE_MS = 10_000;

/** Finds bubblewrap and tries it once: a container may have the program, and forbid what it does. */
export async function findSandbox(path: string | undefined): Promise<SandboxState> {
  const program = findCommand('bwrap', path);
  if (program === undefined) return { kind: 'none', why: 'bubblewrap (bwrap) is not installed' };
  const failure = await failureOf(program, [...BASE, ...ROOT, '--', '/bin/sh', '-c', ':']);
  return failure === undefined
    ? { kind: 'bubblewrap', program }
    : { kind: 'none', why: `bubblewrap cannot make a sandbox here (${failure})` };
}

function failureOf(program: string, args: readonly string[]): Promise<string | undefined> {
  return new Promise((resolve) => {
    // Loaded here, because it would slow down every start otherwise.
    process
      .getBuiltinModule('node:child_process')
      .execFile(program, [...args], { timeout: PROBE_MS, env: {} }, (error, _stdout, stderr) => {
        if (error === null) return resolve(undefined);
        const line = (stderr.trim() === '' ? error.message : stderr.trim()).split('\n', 1)[0] ?? '';
        resolve(redactedExcerpt(asRecorded(line), 0, 200));
      });
  });
}

/** Namespaces of its own for all but the user's files; it dies with us and cannot type into our terminal. */
const BASE = ['--unshare-all', '--die-with-parent', '--new-session', '--cap-drop', 'ALL'];
/** /run holds the sockets of the machine's services, which a read-only root would leave open. */
const ROOT = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--tmpfs', '/tmp', '--tmpfs', '/run'];
/** The folder of the name servers on many systems. */
const RESOLVER = '/run/systemd/resolve';

/** The arguments of bubblewrap before the command. */
export async function sandboxArguments({
  workspace,
  network,
  readOnly,
  home,
  secret,
}: {
  /** The path without links. */
  readonly workspace: string;
  readonly network: boolean;
  /** Absolute paths in the workspace that are there, and that a command cannot write to. */
  readonly readOnly: readonly string[];
  readonly home: string | undefined;
  /** Folders that it shows empty. One that is missing is made, if the folder above it is there: a mount needs a place. */
  readonly secret: readonly string[];
}): Promise<string[]> {
  return [
    ...BASE,
    ...(network ? ['--share-net'] : []),
    ...ROOT,
    ...(network ? ['--ro-bind-try', RESOLVER, RESOLVER] : []),
    '--bind',
    workspace,
    workspace,
    ...mountsOf(workspace, readOnly),
    ...(await masks(home)),
    ...(await emptied(secret)),
    '--chdir',
    workspace,
    '--',
  ];
}

/**
 * Read-only mounts, and a mount of each folder above them: a mount cannot be moved. The outer ones come first, because a
 * later mount covers what is below it. What lies in a read-only folder needs none of its own.
 */
function mountsOf(workspace: string, readOnly: readonly string[]): readonly string[] {
  const closed = new Set(readOnly.filter((path) => path !== workspace));
  const isCovered = (path: string): boolean => foldersUpTo(workspace, path).some((folder) => closed.has(folder));
  const mounts = new Map<string, '--bind' | '--ro-bind'>();
  for (const path of closed) {
    if (isCovered(path)) continue;
    mounts.set(path, '--ro-bind');
    for (const folder of foldersUpTo(workspace, path)) mounts.set(folder, '--bind');
  }
  const outerFirst = [...mounts].sort(([one], [other]) => one.split(sep).length - other.split(sep).length);
  return outerFirst.flatMap(([path, how]) => [how, path, path]);
}

/** The folders between the workspace and a path in it. */
function foldersUpTo(workspace: string, path: string): readonly string[] {
  const folder = dirname(path);
  return folder === workspace || dirname(folder) === folder ? [] : [...foldersUpTo(workspace, folder), folder];
}

/** Names in the home folder that hold keys. A sandbox shows them empty. */
const KEY_FOLDERS = [
  '.ssh',
  '.gnupg',
  '.aws',
  '.azure',
  '.kube',
  '.docker',
  '.config/gcloud',
  '.config/gh',
  '.password-store',
];
const KEY_FILES = ['.npmrc', '.netrc', '.pypirc', '.pgpass', '.git-credentials', '.config/git/credentials'];

async function masks(home: string | undefined): Promise<readonly string[]> {
  if (home === undefined) return [];
  const there = (names: readonly string[]) => Promise.all(names.map((name) => real(join(home, name))));
  const [folders, files] = await Promise.all([there(KEY_FOLDERS), there(KEY_FILES)]);
  return [
    ...folders.flatMap((path) => (path === undefined ? [] : ['--tmpfs', path])),
    ...files.flatMap((path) => (path === undefined ? [] : ['--ro-bind', '/dev/null', path])),
  ];
}

async function emptied(folders: readonly string[]): Promise<readonly string[]> {
  const there = await Promise.all(
    folders.map(async (folder) => {
      if ((await real(dirname(folder))) === undefined) return undefined;
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return real(folder);
    }),
  );
  return [...new Set(there)].flatMap((path) => (path === undefined ? [] : ['--tmpfs', path]));
}

const real = (path: string): Promise<string | undefined> => realpath(path).catch(() => undefined); // it is not there
