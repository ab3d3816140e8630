// The key that signs the log-ins of the page. It lies in the folder of the store, so a log-in outlives a restart. Who
// removes it ends all log-ins of that folder, also those of servers that are running: each of them looks at the file.

import { randomBytes } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FaultError } from '../../kernel/fault.ts';
import { codeOf, writeStep } from '../../stores/file/disk.ts';
import { keptSecret, readSecret } from './secret-file.ts';

const FILE = 'login-key';

/** Ends all log-ins of the servers of this folder. */
export function forgetLogins(dir: string): void {
  const path = join(dir, FILE);
  writeStep(path, () => rmSync(path, { force: true }));
}

/**
 * Reads the key of log-ins, or makes one. If the folder cannot be written, it is kept in memory, and log-ins end with
 * this process.
 */
export function loginKey(dir: string, log: (text: string) => void) {
  const path = join(dir, FILE);
  let inMemory: string | undefined;
  let read: { readonly stamp: string; readonly key: string } | undefined;
  const now = (): string | undefined => {
    if (inMemory !== undefined) return inMemory;
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return undefined;
    const stamp = `${stats.ino} ${stats.mtimeMs} ${stats.size}`;
    if (read?.stamp === stamp) return read.key;
    try {
      read = { stamp, key: readSecret(path) };
    } catch (thrown) {
      if (codeOf(thrown) === 'ENOENT') return undefined; // forgotten meanwhile
      throw thrown;
    }
    return read.key;
  };
  return {
    /** Undefined where nobody has logged in since log-ins were forgotten. */
    now,
    /** The same, made if there is none. */
    made(): string {
      try {
        return now() ?? keptSecret(path);
      } catch (thrown) {
        if (!(thrown instanceof FaultError) || thrown.fault.code !== 'journal/write') throw thrown;
        log(`Log-ins end with this process: ${thrown.fault.message}`);
        return (inMemory ??= randomBytes(24).toString('base64url'));
      }
    },
  };
}

export type LoginKey = ReturnType<typeof loginKey>;
