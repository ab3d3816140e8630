// Blobs as files named by their SHA-256. A blob appears whole or not at all, and what is read back is what was put.

import { createHash } from 'node:crypto';
import { existsSync, lutimesSync, renameSync, rmSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FaultError, fail } from '../../../kernel/fault.ts';
import type { Blobs } from '../../store.ts';
import { codeOf, readOwn, writeFault, writing } from './disk.ts';
import { makeFolder } from './folder.ts';
import { newNonce } from './holder.ts';
import type { Fsync } from './lease.ts';

const DIGEST = /^[0-9a-f]{64}$/;

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export function fileBlobs(folder: string, fsync: Fsync): Blobs {
  return {
    async put(bytes) {
      const digest = digestOf(bytes);
      const file = join(folder, digest);
      if (isThereAgain(file)) return digest;
      writing(folder, () => makeFolder(folder));
      const draft = `${file}.${newNonce()}.draft`;
      try {
        await writeFile(draft, bytes, { flag: 'wx', mode: 0o600, flush: fsync === 'batch' });
        renameSync(draft, file);
      } catch (thrown) {
        rmSync(draft, { force: true });
        throw new FaultError(writeFault(file, thrown));
      }
      return digest;
    },
    async get(digest) {
      if (!DIGEST.test(digest)) return undefined;
      const file = join(folder, digest);
      const bytes = readOrNothing(file);
      if (bytes !== undefined && digestOf(bytes) !== digest) {
        fail('journal/corrupt', `${file} does not hold what its name says. Delete it and put the text again.`, {
          file,
        });
      }
      return bytes;
    },
  };
}

/** A blob that is put again counts as new, so that it is not collected before its run has named it. */
function isThereAgain(file: string): boolean {
  try {
    const now = new Date();
    lutimesSync(file, now, now);
    return true;
  } catch (thrown) {
    return codeOf(thrown) !== 'ENOENT' && existsSync(file); // it is there, even if we may not touch it
  }
}

function readOrNothing(file: string): Uint8Array | undefined {
  try {
    return readOwn(file);
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return undefined;
    if (thrown instanceof FaultError) throw thrown;
    fail('journal/corrupt', `${file} cannot be read (${codeOf(thrown)}). Give this user read access to it.`, { file });
  }
}
