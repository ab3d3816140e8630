// A folder that file tools may see, and the one place that decides what lies inside it.
// W1. Every path is resolved with all its links before it is used, and what it resolves to lies inside the folder.
// W2. A file is judged by the open handle: it is read only if the path still leads to that same file afterwards, so
//     that a folder swapped for a link between check and open is noticed.
// W3. Names that hold secrets are refused, under whatever link they are reached.

import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import { open, realpath, stat, type FileHandle } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { fail } from '../../kernel/fault.ts';
import { nearest } from '../nearest.ts';
import { closedBy } from './closed.ts';
import { walk } from './walk.ts';

export interface Located {
  /** Absolute, without links. */
  readonly real: string;
  /** Relative to the workspace, with forward slashes; `.` for the workspace itself. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
}

export interface Workspace {
  /** Absolute, without links. */
  readonly root: string;
  /** Fails with a message for the model that says what would be right. */
  locate(path: string): Promise<Located>;
  /** The bytes of a located file. Undefined where it holds more than `maxBytes`. */
  read(file: Located, maxBytes: number): Promise<Uint8Array | undefined>;
}

const maxPathLength = 4096;
const namesConsidered = 5000;
// A link in the last place is never followed, and a pipe never waited for.
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

export async function openWorkspace(folder: string): Promise<Workspace> {
  const given = resolve(folder);
  const root = await realpath(given).catch(() => undefined);
  if (root === undefined || !(await stat(root)).isDirectory()) {
    return fail('tool/source', `The workspace ${given} is not a folder that can be read. Give the files tools one.`);
  }
  return {
    root,
    locate: (path) => locate(given, root, path),
    read: (file, maxBytes) => read(root, file, maxBytes),
  };
}

async function locate(given: string, root: string, path: string): Promise<Located> {
  if (path.length > maxPathLength || path.includes('\0')) fail('tool/failed', 'That is not a usable path.');
  const absolute = resolve(root, isAbsolute(path) && inside(given, path) ? relative(given, path) : path);
  if (!inside(root, absolute)) {
    fail('tool/failed', `"${path}" is outside the workspace. Paths are relative to it, like "src/main.ts".`);
  }
  refuseSecrets(path, shown(root, absolute));
  const real = await realpath(absolute).catch((thrown: unknown) => explain(thrown, root, path));
  if (!inside(root, real)) fail('tool/failed', `"${path}" is a link that leads out of the workspace. It is not read.`);
  refuseSecrets(path, shown(root, real));
  const stats = await stat(real).catch((thrown: unknown) => explain(thrown, root, path));
  return {
    real,
    path: shown(root, real),
    kind: stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other',
  };
}

async function read(root: string, file: Located, maxBytes: number): Promise<Uint8Array | undefined> {
  const handle = await open(file.real, openFlags).catch((thrown: unknown) => explain(thrown, root, file.path));
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) fail('tool/failed', `"${file.path}" is not a regular file.`);
    await stillThere(root, file, stats);
    return stats.size > BigInt(maxBytes) ? undefined : await readUpTo(handle, maxBytes);
  } finally {
    await handle.close();
  }
}

/** W2. */
async function stillThere(root: string, file: Located, opened: BigIntStats): Promise<void> {
  const real = await realpath(file.real).catch((thrown: unknown) => explain(thrown, root, file.path));
  const now = await stat(real, { bigint: true }).catch((thrown: unknown) => explain(thrown, root, file.path));
  if (real !== file.real || now.ino !== opened.ino || now.dev !== opened.dev) {
    fail('tool/failed', `"${file.path}" was replaced while it was being opened. Try again.`);
  }
}

async function readUpTo(handle: FileHandle, maxBytes: number): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of handle.createReadStream({ autoClose: false }) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > maxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function refuseSecrets(path: string, relativePath: string): void {
  const closed = closedBy(relativePath);
  if (closed !== undefined) {
    fail('tool/failed', `"${path}" is not read: "${closed}" may hold secrets. Ask for what you need another way.`);
  }
}

async function explain(thrown: unknown, root: string, path: string): Promise<never> {
  switch (codeOf(thrown)) {
    case 'ENOENT':
    case 'ENOTDIR':
      return fail('tool/failed', `There is no "${path}" in the workspace.${await suggestions(root, path)}`);
    case 'ELOOP':
      return fail('tool/failed', `"${path}" is a link that leads to itself.`);
    case 'EACCES':
    case 'EPERM':
      return fail('tool/failed', `"${path}" may not be read by this process.`);
    case 'ENAMETOOLONG':
      return fail('tool/failed', 'That path is too long.');
    default:
      throw thrown;
  }
}

async function suggestions(root: string, path: string): Promise<string> {
  const names: string[] = [];
  for await (const entry of walk(root, root)) {
    if (names.length >= namesConsidered) break;
    if (entry.kind === 'file' || entry.kind === 'folder') names.push(entry.path);
  }
  const near = nearest(path, names);
  return near.length === 0 ? ' See what there is with list_files.' : ` Nearest: ${near.join(', ')}.`;
}

const codeOf = (thrown: unknown): unknown => (thrown instanceof Error && 'code' in thrown ? thrown.code : undefined);

function inside(root: string, absolute: string): boolean {
  const path = relative(root, absolute);
  return path !== '..' && !path.startsWith(`..${sep}`) && !isAbsolute(path);
}

const shown = (root: string, absolute: string): string => relative(root, absolute).split(sep).join('/') || '.';
