// Values that are put under a key once, as cells named by the SHA-256 of the key.

import { createHash } from 'node:crypto';
import { type Cells, type Space, textValue } from './cells.ts';

const KEYS: Space = { name: 'keys', holds: 'lines' };

export async function putKeyIfAbsent(cells: Cells, key: string, value: string): Promise<string> {
  const digest = createHash('sha256').update(key).digest('hex');
  for (;;) {
    const put = await cells.putIf(KEYS, digest, textValue(JSON.stringify(value)), 'absent');
    if (put.isPut) return value;
    if (put.standing !== undefined) return JSON.parse(put.standing.head) as string;
  }
}

/** Forgets what was put before this time. */
export async function forgetKeys(cells: Cells, before: number): Promise<void> {
  const old = (await cells.list(KEYS, '', { with: 'keys' })).filter(({ putAt }) => putAt < before);
  await Promise.all(old.map(({ key, version }) => cells.delete(KEYS, key, version)));
}
