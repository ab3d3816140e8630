// Cells as they lie in the folder of their space: their names, versions and content. See cells.ts.

import { closeSync, existsSync, fstatSync, lstatSync, readdirSync, readFileSync, readSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Cell, isKey, NO_BYTES, type Space } from '../../journal/cells.ts';
import { FaultError } from '../../kernel/fault.ts';
import { codeOf, openOwn, refuseLink, writeStep } from './disk.ts';

/** The part of a cell that is read. */
export type CellPart = 'keys' | 'heads' | 'bodies';

export const nameOfKey = (key: string): string => key.replace('/', ',');

/** Tells version control to leave a folder of secrets alone. */
export const IGNORE_FILE = '.gitignore';

export const keyOfName = (name: string): string | undefined => {
  if (name === IGNORE_FILE) return undefined;
  const key = name.replace(',', '/');
  return isKey(key) ? key : undefined;
};

export function cellKeys(folder: string, prefix: string): string[] {
  return cellNames(folder)
    .flatMap((name) => keyOfName(name) ?? [])
    .filter((key) => key.startsWith(prefix))
    .sort();
}

export function cellNames(folder: string): readonly string[] {
  if (!existsSync(folder)) return []; // avoids the error that readdir makes before the first cell
  refuseLink(folder);
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

/** FILE-CELL-2 */
const versionOf = ({ ino, mtimeNs }: { readonly ino: bigint; readonly mtimeNs: bigint }): string => `${ino}-${mtimeNs}`;

export function versionAt(file: string): string | undefined {
  const stats = lstatSync(file, { bigint: true, throwIfNoEntry: false });
  return stats && versionOf(stats);
}

/** Undefined where it is gone. */
export function readCell(
  file: string,
  key: string,
  space: Space,
  part: CellPart,
): Cell | { readonly wrong: string } | undefined {
  try {
    const fd = openOwn(file, 'read');
    try {
      return cellIn(fd, key, space, part);
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    const code = codeOf(thrown);
    if (code === 'ENOENT') return undefined;
    if (thrown instanceof FaultError) return { wrong: 'it is a link, and Cadre follows no link in a store' };
    if (code === 'EACCES') return { wrong: 'this user may not read it' };
    throw thrown;
  }
}

/** Callers compare what they get with what was put, and a Buffer is another kind of array. */
const plain = ({ buffer, byteOffset, length }: Buffer): Uint8Array => new Uint8Array(buffer, byteOffset, length);

const MOST_HEAD_BYTES = 4 * 1_048_576;

function cellIn(
  fd: number,
  key: string,
  { holds, maxBytes }: Space,
  part: CellPart,
): Cell | { readonly wrong: string } {
  const stats = fstatSync(fd, { bigint: true });
  if (!stats.isFile()) return { wrong: 'it is not a regular file' };
  const bytes = Number(stats.size);
  if (maxBytes !== undefined && bytes > maxBytes) return { wrong: `it has more than ${maxBytes} bytes` };
  const info = { key, version: versionOf(stats), putAt: Number(stats.mtimeNs / 1000n) / 1000 };
  if (part === 'keys') return { ...info, size: bytes, head: '', body: NO_BYTES };
  if (holds === 'bytes')
    return { ...info, size: bytes, head: '', body: part === 'bodies' ? plain(readFileSync(fd)) : NO_BYTES };
  const text = part === 'bodies' ? readFileSync(fd) : firstLine(fd, bytes);
  const end = text.indexOf(10);
  if (end < 0) return { wrong: 'it has no first line' };
  const body = part === 'bodies' ? plain(text.subarray(end + 1)) : NO_BYTES;
  return { ...info, size: bytes - end - 1, head: text.toString('utf8', 0, end), body };
}

/** Reads the part of a file that holds the first line, and mostly little more. */
function firstLine(fd: number, bytes: number): Buffer {
  for (let size = 4096; ; size *= 16) {
    const text = Buffer.allocUnsafe(Math.min(size, bytes));
    const filled = text.subarray(0, readSync(fd, text, 0, text.length, 0));
    if (filled.includes(10) || size >= bytes || size >= MOST_HEAD_BYTES) return filled;
  }
}

/** Removes what processes left that died while they put or deleted a cell, and what was set aside. */
export function sweepCells(root: string, spaces: readonly string[], before: number): void {
  for (const space of spaces) {
    for (const name of cellNames(join(root, space)).filter((one) => /^,(?:aside|draft|gone|lock)-/.test(one))) {
      const file = join(root, space, name);
      const changedAt = lstatSync(file, { throwIfNoEntry: false })?.mtimeMs ?? before;
      if (changedAt < before) writeStep(file, () => rmSync(file, { recursive: true, force: true }));
    }
  }
}
