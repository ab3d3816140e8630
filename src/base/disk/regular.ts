// Reads files that anyone may have put there: only regular files, up to a size, checked by the open handle.
// A pipe or a device may never end, and what a path leads to may change between a check and a read.

import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync, realpathSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isInside } from './paths.ts';

/** The reason why a file that exists is not read. Any other error is thrown as the file system gives it. */
export class UnusableFile extends Error {
  readonly trouble: 'not-regular' | 'too-large' | 'outside' | 'foreign';

  constructor(trouble: 'not-regular' | 'too-large' | 'outside' | 'foreign', message: string) {
    super(message);
    this.trouble = trouble;
  }
}

interface ReadingRules {
  readonly maxBytes: number;
  /** The file must lie in this folder, whatever links lead to it. */
  readonly within?: string;
  /** The file must have the same owner as this one, or be one that may be used. */
  readonly ownedLike?: string;
  /** Returns only this many bytes of a longer file, which is then not too large. */
  readonly head?: number;
}

// Does not wait for a pipe.
const FLAGS = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export function readRegular(path: string, rules: ReadingRules): Buffer {
  const handle = openSync(path, FLAGS);
  try {
    const stats = fstatSync(handle);
    if (!stats.isFile()) throw new UnusableFile('not-regular', `${path} is not a regular file`);
    if (rules.within !== undefined && !isInFolder(realPathOf(handle, path), rules.within))
      throw new UnusableFile('outside', `${path} is a link that leads out of the folder`);
    if (rules.ownedLike !== undefined && stats.uid !== statSync(rules.ownedLike).uid && !isOurs(stats.uid, path))
      throw new UnusableFile('foreign', foreignText(path));
    if (rules.head === undefined && stats.size > rules.maxBytes) throw tooLarge(path, stats.size, rules.maxBytes);
    return readUpTo(handle, path, rules);
  } finally {
    closeSync(handle);
  }
}

export const readRegularText = (path: string, rules: ReadingRules): string => readRegular(path, rules).toString('utf8');

/** The largest script of the scripted model, and the largest recording. */
const MAX_SCRIPT_BYTES = 16 * 1_048_576;
const MAX_RECORDING_BYTES = 256 * 1_048_576;

export const readScript = async (path: string): Promise<string> =>
  readRegularText(path, { maxBytes: MAX_SCRIPT_BYTES });
export const readRecording = async (path: string): Promise<string> =>
  readRegularText(path, { maxBytes: MAX_RECORDING_BYTES });

const tooLarge = (path: string, size: number, maxBytes: number): UnusableFile =>
  new UnusableFile('too-large', `${path} has ${size} bytes, and the limit is ${maxBytes}`);

/** A file may grow while it is read, so its size is not trusted. */
function readUpTo(handle: number, path: string, { maxBytes, head }: ReadingRules): Buffer {
  const most = head ?? maxBytes + 1;
  const chunks: Buffer[] = [];
  let size = 0;
  while (size < most) {
    const chunk = Buffer.allocUnsafe(Math.min(65_536, most - size));
    const read = readSync(handle, chunk, 0, chunk.length, null);
    if (read === 0) break;
    chunks.push(chunk.subarray(0, read));
    size += read;
  }
  if (head === undefined && size > maxBytes) throw tooLarge(path, size, maxBytes);
  return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks);
}

/** The path of the open handle; where the system cannot tell, the path that the name leads to now. */
function realPathOf(handle: number, path: string): string {
  try {
    return readlinkSync(`/proc/self/fd/${handle}`);
  } catch {
    return realpathSync(path);
  }
}

export const isInFolder = (path: string, folder: string): boolean => isInside(realpathSync(folder), path);

/** True if a file in a folder above may be used. */
export const mayBeUsed = (path: string): boolean => isOurs(statSync(path).uid, path);

/** It belongs to this user, or to root, who could do anything anyway; or the user trusts its folder. */
function isOurs(uid: number, path: string): boolean {
  const own = process.getuid?.();
  return own === undefined || uid === own || uid === 0 || isTrusted(dirname(path));
}

/** `CADRE_TRUST` names folders, separated by colons; `*` trusts all. */
const isTrusted = (folder: string): boolean =>
  (process.env['CADRE_TRUST'] ?? '')
    .split(':')
    .some((named) => named === '*' || (named !== '' && resolve(named) === folder));

/** The message about a file above the folder that is not used. */
export const foreignText = (path: string): string =>
  `${path} belongs to another user and is not used. If you trust it, set CADRE_TRUST=${dirname(path)}.`;
