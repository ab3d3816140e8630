// A folder that file tools may see, and the one place that decides what lies inside it.
// WORKSPACE-1. Every path is resolved with all its links before it is used, and what it resolves to lies inside the
//              folder.
// WORKSPACE-2. A file or folder is checked by its handle: it is read only if that lies at the path that was found
//              inside, so that a folder swapped for a link between check and open is noticed.
// WORKSPACE-3. Names that hold secrets are refused, whatever link leads to them; a hard link too where it can be
//              recognised.
// WORKSPACE-4. What is hidden does not exist, whatever link leads to it.

import type { BigIntStats } from 'node:fs';
import { constants } from 'node:fs';
import { type FileHandle, lstat, open, realpath, stat } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { errorCode, isInside, wayDown } from '../../base/disk/paths.ts';
import { nearestNames } from '../../base/text/nearest.ts';
import { secretIn } from '../../base/text/secret-names.ts';
import { fail } from '../../kernel/fault.ts';
import { inFolder, liesAt } from './handle.ts';
import { hiddenFiles, isInStore } from './hidden.ts';
import { closedNameOf } from './other-names.ts';
import { type FileEntry, isUnreadable, type WorkspaceView, walk } from './walk.ts';

export interface LocatedFile {
  /** Absolute, without links. */
  readonly real: string;
  /** Relative to the workspace, with forward slashes; `.` for the workspace itself. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'other';
}

export interface Workspace {
  /** Absolute, without links. */
  readonly root: string;
  /** The folder as it was configured. */
  readonly given: string;
  /** Fails with a message for the model that says what would be right. */
  locate(path: string): Promise<LocatedFile>;
  /** The same, and undefined where nothing is there. */
  find(path: string): Promise<LocatedFile | undefined>;
  /** The bytes of a located file. Undefined where it holds more than `maxBytes`. */
  read(file: LocatedFile, maxBytes: number): Promise<Uint8Array | undefined>;
  /** Its first bytes, and the number of all. */
  head(file: LocatedFile, bytes: number): Promise<{ readonly bytes: Uint8Array; readonly size: number }>;
  /** The bytes of a file of `walk`. Undefined if it is no longer there. */
  sizeOf(file: FileEntry): Promise<number | undefined>;
  /** Walks the files below a located folder. */
  walk(folder: LocatedFile, depth?: number): AsyncIterable<FileEntry>;
}

const maxPathLength = 4096;
const namesConsidered = 5000;
// Never follows a link in the last place, and never waits for a pipe.
const openFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** `hidden` are absolute paths of files and folders that no tool sees. */
export async function openWorkspace(folder: string, hidden: readonly string[] = []): Promise<Workspace> {
  const given = resolve(folder);
  const root = await realpath(given).catch(() => undefined);
  if (root === undefined || !(await stat(root)).isDirectory()) {
    return fail(
      'tool/source',
      `The workspace ${given} is not a folder that can be read. Name one with --workspace, or with workspace in cadre.yaml.`,
    );
  }
  const view: WorkspaceView = { root, ...(await hiddenFiles(root, hidden)) };
  return {
    root,
    given,
    locate: (path) => found(locate(given, view, path), view, path),
    find: (path) => locate(given, view, path).catch(undefinedIfAbsent),
    read: (file, maxBytes) => found(read(view, file, maxBytes), view, file.path),
    head: (file, bytes) => found(head(view, file, bytes), view, file.path),
    sizeOf: ({ real }) => sizeOf(real),
    walk: ({ real }, depth) => walk(view, real, depth),
  };
}

/** Nothing is there, or nothing that may be seen. */
class AbsentFile extends Error {}

function undefinedIfAbsent(thrown: unknown): undefined {
  if (!(thrown instanceof AbsentFile)) throw thrown;
}

/** Tells the model that there is nothing, and what it may have meant. */
async function found<Value>(looking: Promise<Value>, view: WorkspaceView, path: string): Promise<Value> {
  try {
    return await looking;
  } catch (thrown) {
    undefinedIfAbsent(thrown);
    return fail('tool/failed', `There is no "${path}" in the workspace.${await suggestions(view, path)}`);
  }
}

async function locate(given: string, view: WorkspaceView, path: string): Promise<LocatedFile> {
  const { root, isHidden } = view;
  if (path.length > maxPathLength || path.includes('\0')) fail('tool/failed', 'That is not a usable path.');
  const absolute = resolve(root, isAbsolute(path) && isInside(given, path) ? relative(given, path) : path);
  if (!isInside(root, absolute)) {
    fail('tool/failed', `"${path}" is outside the workspace. Paths are relative to it, like "src/main.ts".`);
  }
  if (isHidden(absolute)) throw new AbsentFile(); // WORKSPACE-4
  refuseSecrets(path, pathIn(root, absolute), await kindAt(absolute));
  const real = await realpath(absolute).catch((thrown: unknown) => explain(thrown, path));
  if (isHidden(real)) throw new AbsentFile(); // WORKSPACE-4
  if (!isInside(root, real))
    fail('tool/failed', `"${path}" is a link that leads out of the workspace, so it is not read.`);
  if (await isInStore(root, real)) throw new AbsentFile(); // WORKSPACE-4
  const stats = await lstat(real).catch((thrown: unknown) => explain(thrown, path));
  const kind = stats.isFile() ? 'file' : stats.isDirectory() ? 'folder' : 'other';
  refuseSecrets(path, pathIn(root, real), kind);
  return { real, path: pathIn(root, real), kind };
}

const read = (view: WorkspaceView, file: LocatedFile, maxBytes: number): Promise<Uint8Array | undefined> =>
  opened(view, file, async (handle, { size }) =>
    size > BigInt(maxBytes) ? undefined : await readUpTo(handle, maxBytes),
  );

const head = (view: WorkspaceView, file: LocatedFile, bytes: number): ReturnType<Workspace['head']> =>
  opened(view, file, async (handle, { size }) => {
    const buffer = new Uint8Array(bytes);
    let filled = 0;
    while (filled < bytes) {
      const { bytesRead } = await handle.read(buffer, filled, bytes - filled, filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return { bytes: buffer.subarray(0, filled), size: Math.max(Number(size), filled) };
  });

async function opened<Value>(
  view: WorkspaceView,
  file: LocatedFile,
  use: (handle: FileHandle, stats: BigIntStats) => Promise<Value>,
): Promise<Value> {
  const handle = await open(file.real, openFlags).catch((thrown: unknown) => explain(thrown, file.path));
  try {
    const stats = await handle.stat({ bigint: true });
    if (!stats.isFile()) fail('tool/failed', `"${file.path}" is not a regular file.`);
    await stillThere(file, handle, stats);
    await refuseOtherNames(view, file, stats);
    return await use(handle, stats);
  } finally {
    await handle.close();
  }
}

/** WORKSPACE-2. */
async function stillThere(file: LocatedFile, handle: FileHandle, stats: BigIntStats): Promise<void> {
  const same = await liesAt(handle, stats, file.real).catch((thrown: unknown) => explain(thrown, file.path));
  if (!same) fail('tool/failed', `"${file.path}" was replaced while it was being opened. Try again.`);
}

/** WORKSPACE-3, WORKSPACE-4. */
async function refuseOtherNames(view: WorkspaceView, file: LocatedFile, stats: BigIntStats): Promise<void> {
  const closed = await closedNameOf(view, file.real, stats);
  if (closed !== undefined) {
    fail(
      'tool/failed',
      `"${file.path}" is not read: it is the same file as "${basename(closed)}", which may not be read.`,
    );
  }
}

/** Looked up in the open folder (WORKSPACE-2). */
async function sizeOf(real: string): Promise<number | undefined> {
  try {
    const stats = await inFolder(dirname(real), (way) => lstat(join(way, basename(real))));
    return stats?.isFile() === true ? stats.size : undefined;
  } catch (thrown) {
    if (isUnreadable(thrown)) return undefined;
    throw thrown;
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

function refuseSecrets(path: string, relativePath: string, kind: LocatedFile['kind']): void {
  const closed = secretIn(relativePath, kind === 'folder' ? 'folder' : 'file');
  if (closed !== undefined) {
    fail('tool/failed', `"${path}" is not read: "${closed}" may hold secrets. Ask for what you need another way.`);
  }
}

/** A name that leads nowhere is judged as a file's. */
async function kindAt(absolute: string): Promise<LocatedFile['kind']> {
  const stats = await stat(absolute).catch(() => undefined);
  return stats?.isDirectory() === true ? 'folder' : 'file';
}

function explain(thrown: unknown, path: string): never {
  switch (errorCode(thrown)) {
    case 'ENOENT':
    case 'ENOTDIR':
      throw new AbsentFile();
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

async function suggestions(view: WorkspaceView, path: string): Promise<string> {
  const names: string[] = [];
  for await (const entry of walk(view, view.root)) {
    if (names.length >= namesConsidered) break;
    if (entry.kind === 'file' || entry.kind === 'folder') names.push(entry.path);
  }
  const near = nearestNames(path, names);
  return near.length === 0 ? ' See what there is with list_files.' : ` Nearest: ${near.join(', ')}.`;
}

/** A path as the tools name it: relative to the workspace. */
export const pathIn = (root: string, absolute: string): string => wayDown(root, absolute) || '.';
