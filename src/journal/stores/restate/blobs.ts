// Blobs and keys in Restate, each an object of its own. What is kept is found by one query on their cells.

import { createHash } from 'node:crypto';
import { fail } from '../../../kernel/fault.ts';
import type { Blobs, Collected, CollectOptions } from '../../store.ts';
import type { RestateClient } from './client.ts';
import { waitingInputs } from './state.ts';
import { BLOB, KEY, RUN } from './wire.ts';

const MOST_BYTES = 24 * 1_048_576;
/** Agent texts are read for every run. */
const CACHED_BYTES = 16 * 1_048_576;

/** Counts as blobs are looked at. */
function collecting() {
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

export interface RestateBlobs extends Blobs {
  /** Forgets what this process has read. */
  forget(): void;
}

export function restateBlobs(client: RestateClient): RestateBlobs {
  const cached = new Map<string, Uint8Array>();
  let bytesCached = 0;
  const cache = (digest: string, bytes: Uint8Array): void => {
    if (bytes.length > CACHED_BYTES / 16 || cached.has(digest)) return;
    cached.set(digest, bytes);
    bytesCached += bytes.length;
    for (const [oldest, { length }] of cached) {
      if (bytesCached <= CACHED_BYTES) break;
      cached.delete(oldest);
      bytesCached -= length;
    }
  };
  return {
    forget() {
      cached.clear();
      bytesCached = 0;
    },
    async put(bytes) {
      if (bytes.length > MOST_BYTES)
        fail(
          'journal/write',
          `A blob of ${bytes.length} bytes is too large for a store in Restate, which takes ${MOST_BYTES}.`,
        );
      const digest = createHash('sha256').update(bytes).digest('hex');
      const own = Uint8Array.from(bytes);
      await client.readOr(
        async (answerMs) => void (await client.text([BLOB, digest, 'put'], own, { once: true, answerMs })),
        async () => void (await client.call([BLOB, digest, 'put/send'], own, { once: true })),
      );
      return digest;
    },
    async get(digest) {
      if (!/^[0-9a-f]{64}$/.test(digest)) return undefined;
      const known = cached.get(digest);
      if (known !== undefined) return Uint8Array.from(known);
      const bytes = await client.readOr(
        (answerMs) => bytesOf(client, digest, answerMs),
        () => bytesByQuery(client, digest),
      );
      if (bytes !== undefined) cache(digest, bytes);
      return bytes;
    },
  };
}

async function bytesOf(client: RestateClient, digest: string, answerMs: number): Promise<Uint8Array | undefined> {
  const { bytes } = await client.call([BLOB, digest, 'get'], '', { answerMs });
  return bytes[0] === 1 ? bytes.slice(1) : undefined; // the first byte says whether it is there
}

/**
 * A query gives texts, which agent files are. Anything else is read when a worker is there. What was put while no worker was
 * there waits for one.
 */
async function bytesByQuery(client: RestateClient, digest: string): Promise<Uint8Array | undefined> {
  const which = `service_key = '${digest}' and key = 'bytes'`;
  const text = `select value_utf8 from state where service_name = '${BLOB}' and ${which}`;
  let [row] = await client.query<ByteCell>(text);
  if (row === undefined) {
    const [put] = await waitingInputs(client, [BLOB, digest, 'put']);
    if (put !== undefined) return put;
    [row] = await client.queryAgain<ByteCell>(text);
  }
  if (row === undefined) return undefined;
  if (row.value_utf8 === null) return bytesOf(client, digest, LONG_MS);
  return new TextEncoder().encode(row.value_utf8);
}

const LONG_MS = 30_000;

interface ByteCell {
  readonly value_utf8: string | null;
}

interface Kept {
  readonly service_key: string;
  readonly value_utf8: string;
}

const cells = (client: RestateClient, service: string, which: string): Promise<readonly Kept[]> =>
  client.query<Kept>(`select service_key, value_utf8 from state where service_name = '${service}' and ${which}`);

export async function collectObjects(
  client: RestateClient,
  { before, dryRun = false }: CollectOptions,
): Promise<Collected> {
  const count = collecting();
  const blobs = await cells(client, BLOB, "key = 'kept'");
  const named = new Set(
    (await cells(client, RUN, "key like 'n%'")).flatMap(({ value_utf8: text }) => JSON.parse(text) as string[]),
  );
  for (const { service_key: digest, value_utf8: text } of blobs) {
    const { at, bytes } = JSON.parse(text) as { readonly at: number; readonly bytes: number };
    const isKept = named.has(digest) || at >= before;
    count.add(isKept, bytes);
    if (!isKept && !dryRun) await client.text([BLOB, digest, 'forget'], String(before), { once: true });
  }
  if (dryRun) return count.collected();
  for (const { service_key: key, value_utf8: text } of await cells(client, KEY, "key = 'tied'")) {
    const { at } = JSON.parse(text) as { readonly at: number };
    if (at < before) await client.text([KEY, key, 'forget'], String(before), { once: true });
  }
  return count.collected();
}

export const tiedKey = (client: RestateClient, key: string, value: string): Promise<string> =>
  client.text([KEY, createHash('sha256').update(key).digest('hex'), 'tie'], value, { once: true });
