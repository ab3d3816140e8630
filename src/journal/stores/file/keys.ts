// Keys that are tied to a value once: <dir>/keys/<sha-256 of the key>. A file appears whole or not at all, and the
// first one of a name stays.

import { createHash } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { codeOf, openOwn, readOwn, writing } from './disk.ts';
import { makeFolder } from './folder.ts';
import { newNonce } from './holder.ts';
import type { Fsync } from './lease.ts';

export interface FileKeys {
  tie(key: string, value: string): string;
  /** Removes what was tied before a time. */
  forget(before: number): void;
}

export function fileKeys(folder: string, fsync: Fsync): FileKeys {
  return {
    tie(key, value) {
      const file = join(folder, createHash('sha256').update(key).digest('hex'));
      return writing(file, () => {
        const known = readOrNothing(file);
        if (known !== undefined) return known;
        makeFolder(folder);
        const draft = `${file}.${newNonce()}.draft`;
        const fd = openOwn(draft, 'make');
        try {
          writeSync(fd, value);
          if (fsync === 'batch') fsyncSync(fd);
        } finally {
          closeSync(fd);
        }
        try {
          linkSync(draft, file);
          return value;
        } catch (thrown) {
          if (codeOf(thrown) !== 'EEXIST') throw thrown;
          return readOwn(file).toString('utf8');
        } finally {
          rmSync(draft, { force: true });
        }
      });
    },
    forget(before) {
      for (const name of namesIn(folder)) {
        const file = join(folder, name);
        const stats = statSync(file, { throwIfNoEntry: false });
        if (stats !== undefined && stats.mtimeMs < before) writing(file, () => rmSync(file, { force: true }));
      }
    },
  };
}

function readOrNothing(file: string): string | undefined {
  try {
    return readOwn(file).toString('utf8');
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    throw thrown;
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}
