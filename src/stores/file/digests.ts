// The digests that journals name, for the collection of blobs.

import { statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { addDigests } from '../../journal/blobs.ts';
import type { Digest } from '../../journal/event.ts';
import { logLines } from './log.ts';

/** A damaged line is text all the same. */
export async function namedIn(journals: readonly string[]): Promise<ReadonlySet<Digest>> {
  const named = new Set<Digest>();
  for (const file of journals) {
    if (statSync(file, { throwIfNoEntry: false }) === undefined) continue;
    for (const { text } of logLines(file)) addDigests(text, named);
    await setImmediate();
  }
  return named;
}
