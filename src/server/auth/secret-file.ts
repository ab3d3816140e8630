// Secrets that the server makes itself and keeps in the folder of the store, readable by their owner alone.

import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { readRegularText } from '../../base/disk/regular.ts';
import { fail } from '../../kernel/fault.ts';
import { codeOf, writeStep } from '../../stores/file/disk.ts';

const FORM = /^[A-Za-z0-9_-]{32,}$/;
const MAX_BYTES = 1024;

/**
 * The secret of a file; made if there is none yet. Two servers that start at once have the same. Throws `journal/write`
 * where it cannot be made, and `config/invalid` where something else lies there.
 */
export function keptSecret(path: string): string {
  return writeStep(path, () => {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) make(path);
    return readSecret(path);
  });
}

/** Throws where there is none. */
export function readSecret(path: string): string {
  if (!lstatSync(path).isFile()) fail('config/invalid', `${path} is not a regular file. Remove it, and one is made.`);
  const secret = readRegularText(path, { maxBytes: MAX_BYTES }).trim();
  if (!FORM.test(secret)) fail('config/invalid', `${path} does not hold a secret. Remove it, and a new one is made.`);
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return secret;
}

/** Makes a folder. An error of the disk names this folder alone, and not all of a path. */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  mkdirSync(folder, { recursive: !existsSync(dirname(folder)), mode: 0o700 });
}

/** It is whole before it has its name. */
function make(path: string): void {
  makeFolder(dirname(path));
  const draft = `${path}.${process.pid}.draft`;
  const fd = openSync(draft, 'wx', 0o600);
  try {
    writeSync(fd, `${randomBytes(24).toString('base64url')}\n`);
  } finally {
    closeSync(fd);
  }
  try {
    linkSync(draft, path);
  } catch (thrown) {
    if (codeOf(thrown) !== 'EEXIST') throw thrown; // else another server was first
  } finally {
    rmSync(draft, { force: true });
  }
}
