// Blobs as cells named by their SHA-256.

import { createHash } from 'node:crypto';
import { fail } from '../kernel/fault.ts';
import { type Cells, type Space } from './cells.ts';
import type { Digest } from './event.ts';
import type { Blobs, CollectedBlobs, CollectOptions } from './store.ts';

const BLOBS: Space = { name: 'blobs', holds: 'bytes', waits: true };

const DIGEST = /^[0-9a-f]{64}$/;
const DIGESTS = /(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g;

export function addDigests(text: string, to: Set<Digest>): void {
  for (const [digest] of text.matchAll(DIGESTS)) to.add(digest);
}

const digestOf = (bytes: Uint8Array): Digest => createHash('sha256').update(bytes).digest('hex');

export const blobsIn = (cells: Cells): Blobs & { remove(digest: Digest): Promise<void> } => ({
  async put(bytes) {
    const digest = digestOf(bytes);
    // One that is put again counts as new, so that it is not collected before its run has named it.
    if (!(await cells.touch(BLOBS, digest))) await cells.putIf(BLOBS, digest, { head: '', body: bytes }, 'absent');
    return digest;
  },
  async get(digest) {
    if (!DIGEST.test(digest)) return undefined;
    const cell = await cells.get(BLOBS, digest);
    if (cell !== undefined && digestOf(cell.body) !== digest)
      fail('journal/corrupt', `The blob ${digest} does not hold what its name says. Delete it and put the text again.`);
    return cell?.body;
  },
  async remove(digest) {
    await cells.delete(BLOBS, digest);
  },
});

/** `named` is asked only if there are blobs. A blob that is put again while this goes on has another version, and stays. */
export async function collectUnnamed(
  cells: Cells,
  named: () => Promise<ReadonlySet<Digest>>,
  { before, dryRun = false }: CollectOptions,
): Promise<CollectedBlobs> {
  const kept = { count: 0, bytes: 0 };
  const removed = { count: 0, bytes: 0 };
  const found = await cells.list(BLOBS, '', { with: 'keys' });
  const names = found.length === 0 ? new Set<Digest>() : await named();
  await Promise.all(
    found.map(async ({ key, version, putAt, size }) => {
      const isOld = !names.has(key) && putAt < before;
      const isGone = isOld && (dryRun || (await cells.delete(BLOBS, key, version)));
      const into = isGone ? removed : kept;
      into.count++;
      into.bytes += size;
    }),
  );
  return { kept, removed };
}
