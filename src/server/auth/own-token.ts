// The server's own token: made at its first start and kept in the folder of the store, readable by its owner alone.

import { randomBytes } from 'node:crypto';
import { chmodSync, closeSync, linkSync, lstatSync, mkdirSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { readRegularText } from '../../disk/regular.ts';
import { fail } from '../../kernel/fault.ts';

const FILE = 'server-token';
const FORM = /^[A-Za-z0-9_-]{32,}$/;
const MAX_BYTES = 1024;

/** The token of a store's folder; made if there is none yet. Two servers that start at once have the same. */
export function ownToken(dir: string): string {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  const path = join(dir, FILE);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) make(path);
  else if (!found.isFile()) fail('config/invalid', `${path} is not a regular file. Remove it, and a token is made.`);
  const token = readRegularText(path, { maxBytes: MAX_BYTES }).trim();
  if (!FORM.test(token)) fail('config/invalid', `${path} does not hold a token. Remove it, and a new one is made.`);
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) chmodSync(path, 0o600);
  return token;
}

/** It is whole before it has its name. */
function make(path: string): void {
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
    if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown; // else another server was first
  } finally {
    rmSync(draft, { force: true });
  }
}
