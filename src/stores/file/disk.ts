// The edge between the file system and faults: what an errno means for a run, and what can be done about it. It also
// opens the files of a store: they belong to this user alone, and no link in a store is followed.
// DISK-1. A link in a store may lead anywhere, and anyone who can write the store could make one: it is refused.

import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from 'node:fs';
import { type Fault, FaultError, fail, fault } from '../../kernel/fault.ts';

const FILE_MODE = 0o600;
export const FOLDER_MODE = 0o700;

const { O_APPEND, O_CREAT, O_EXCL, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY } = constants;
const NO_LINK = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
const FLAGS = {
  read: O_RDONLY,
  append: O_WRONLY | O_APPEND,
  'append or make': O_WRONLY | O_APPEND | O_CREAT,
  make: O_WRONLY | O_APPEND | O_CREAT | O_EXCL,
  'make and read': O_RDWR | O_APPEND | O_CREAT | O_EXCL,
  write: O_WRONLY | O_CREAT | O_TRUNC,
  change: O_RDWR,
} as const;

/** Opens a file of the store (DISK-1). Throws as node:fs does. */
export function openOwn(path: string, how: keyof typeof FLAGS): number {
  try {
    return openSync(path, FLAGS[how] | NO_LINK, FILE_MODE);
  } catch (thrown) {
    if (codeOf(thrown) === 'ELOOP') refuseToFollow(path);
    throw thrown;
  }
}

/** The bytes of a file of the store (DISK-1). Throws as node:fs does. */
export function readOwn(path: string): Buffer {
  const fd = openOwn(path, 'read');
  try {
    if (!fstatSync(fd).isFile()) fail('journal/corrupt', `${path} is not a regular file.`, { file: path });
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** DISK-1, for folders and for what is only looked at. */
export function refuseLink(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true) refuseToFollow(path);
}

const refuseToFollow = (path: string): never =>
  fail(
    'journal/corrupt',
    `${path} is a link, and Cadre follows no link in a store. Put what it leads to in its place.`,
    {
      file: path,
    },
  );

/** The errno of something thrown by node:fs. */
export function codeOf(thrown: unknown): string | undefined {
  if (typeof thrown !== 'object' || thrown === null || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

const WAYS_OUT: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full: free some space, then `cadre resume`.',
  EDQUOT: 'The disk quota is used up: free some space, then `cadre resume`.',
  EFBIG: 'The file has reached the size limit of this system: raise `ulimit -f`, then `cadre resume`.',
  EROFS: 'The file system is read-only: set `store: {dir: …}` in cadre.yaml to a writable folder.',
  EACCES: 'Permission is missing: give this user write access, or set `store: {dir: …}` in cadre.yaml.',
  EPERM: 'Permission is missing: give this user write access, or set `store: {dir: …}` in cadre.yaml.',
  ENOTDIR: 'A file stands where a folder is needed: move it away, or set `store: {dir: …}` in cadre.yaml.',
  EMFILE: 'Too many files are open: raise `ulimit -n`, or run less at the same time.',
  ENFILE: 'Too many files are open: raise `ulimit -n`, or run less at the same time.',
};

export function writeFault(file: string, thrown: unknown): Fault {
  const code = codeOf(thrown) ?? 'unknown';
  const what = thrown instanceof Error ? thrown.message : String(thrown);
  const wayOut = WAYS_OUT[code] ?? 'Look at the disk and the folder, then `cadre resume`.';
  return fault('journal/write', `${file} cannot be written: ${what}. ${wayOut}`, { file, errno: code });
}

/** Runs a step that writes; what it throws becomes a `journal/write` fault, faults pass. */
export function writeStep<Value>(file: string, step: () => Value): Value {
  try {
    return step();
  } catch (thrown) {
    if (thrown instanceof FaultError) throw thrown;
    throw new FaultError(writeFault(file, thrown));
  }
}
