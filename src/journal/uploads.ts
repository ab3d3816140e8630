// Files that were put into a store before a run named them, as cells named by the SHA-256 of who put them and by the digest
// of their bytes. What is said of a file lies in its cell, and its bytes are a blob.
// UPLOAD-1. The cell is put before the blob, and goes after it: whatever dies in between leaves nothing behind for ever.
// UPLOAD-2. A file that no run has named is kept for a day, whatever else is removed meanwhile.

import { createHash } from 'node:crypto';
import type { FileRef } from '../kernel/file-ref.ts';
import { type Cell, type Cells, type Space, textValue } from './cells.ts';
import type { Digest } from './event.ts';
import type { Blobs, Uploads } from './store.ts';

const UPLOADS: Space = { name: 'uploads', holds: 'lines' };

const UNNAMED_MS = 86_400_000;
/** No run begins with a file that is about to be removed. */
const GOOD_MS = UNNAMED_MS - 3_600_000;

interface UploadParts {
  readonly cells: Cells;
  readonly blobs: Blobs & { remove(digest: Digest): Promise<void> };
  /** The digests that runs name. */
  named(): Promise<ReadonlySet<Digest>>;
  now(): number;
}

export const uploadsIn = ({ cells, blobs, named, now }: UploadParts): Uploads => ({
  async put(owner, file, bytes) {
    await cells.putIf(UPLOADS, keyOf(owner, file.digest), textValue(JSON.stringify(file)), 'any'); // UPLOAD-1
    await blobs.put(bytes);
  },
  async get(owner, digest) {
    if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
    const cell = await cells.get(UPLOADS, keyOf(owner, digest));
    return cell !== undefined && cell.putAt >= now() - GOOD_MS ? fileIn(cell) : undefined;
  },
  async forget(owner, digest) {
    await cells.delete(UPLOADS, keyOf(owner, digest));
  },
  async sweep() {
    const all = await cells.list(UPLOADS, '');
    const old = all.filter(({ putAt }) => putAt < now() - UNNAMED_MS);
    if (old.length === 0) return 0;
    const young = digestsOf(all.filter((cell) => !old.includes(cell)));
    const names = await named();
    const orphans = [...digestsOf(old)].filter((digest) => !names.has(digest) && !young.has(digest));
    for (const digest of orphans) await blobs.remove(digest);
    for (const { key, version } of old) await cells.delete(UPLOADS, key, version);
    return orphans.length;
  },
});

/** UPLOAD-2. The files that no run need name yet. */
export async function youngUploads(cells: Cells, now: number): Promise<ReadonlySet<Digest>> {
  const all = await cells.list(UPLOADS, '');
  return digestsOf(all.filter(({ putAt }) => putAt >= now - UNNAMED_MS));
}

const fileIn = ({ head }: Cell): FileRef => JSON.parse(head) as FileRef;

const digestsOf = (cells: readonly Cell[]): ReadonlySet<Digest> => new Set(cells.map((cell) => fileIn(cell).digest));

const keyOf = (owner: string, digest: Digest): string =>
  `${createHash('sha256').update(owner).digest('hex')}/${digest}`;
