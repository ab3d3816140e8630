// Finds the blobs that no run names any more. Anything in a journal that looks like a digest names a blob, in any event
// of any release: we would rather keep a blob too many than lose one.

import { readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { addDigests } from '../../blobs.ts';
import type { Digest } from '../../event.ts';
import type { Collected, CollectOptions } from '../../store.ts';
import { codeOf, writing } from './disk.ts';
import { logLines } from './log.ts';

/** Counts as blobs are looked at. */
export function collecting() {
  const kept = { count: 0, bytes: 0 };
  const removed = { count: 0, bytes: 0 };
  return {
    add(isKept: boolean, bytes: number): void {
      const into = isKept ? kept : removed;
      into.count++;
      into.bytes += bytes;
    },
    collected: (): Collected => ({ kept, removed }),
  };
}

export async function collectFiles(
  folder: string,
  journals: readonly string[],
  { before, dryRun = false }: CollectOptions,
): Promise<Collected> {
  const count = collecting();
  const files = filesIn(folder);
  if (files.length === 0) return count.collected();
  const named = await namedIn(journals);
  for (const file of files) {
    const path = join(folder, file);
    const stats = statSync(path, { throwIfNoEntry: false });
    if (stats === undefined) continue;
    const isKept = named.has(file) || stats.mtimeMs >= before;
    count.add(isKept, stats.size);
    if (!isKept && !dryRun) writing(path, () => rmSync(path, { force: true }));
  }
  return count.collected();
}

/** They include drafts that a dead process left behind, which no run names. */
function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder).filter((file) => /^[0-9a-f]{64}(\.|$)/.test(file));
  } catch (thrown) {
    if (codeOf(thrown) === 'ENOENT') return [];
    throw thrown;
  }
}

/** A damaged line is text all the same. */
async function namedIn(journals: readonly string[]): Promise<ReadonlySet<Digest>> {
  const named = new Set<Digest>();
  for (const file of journals) {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) continue;
    for (const { text } of logLines(file)) addDigests(text, named);
    await setImmediate();
  }
  return named;
}
