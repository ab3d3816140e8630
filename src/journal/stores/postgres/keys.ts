// Keys that are tied to a value once. The first insert counts.

import { createHash } from 'node:crypto';
import type { Database, Statement } from './database.ts';

const TIE: Statement = {
  name: 'cadre-tie',
  text: `with tied as (
           insert into cadre_key (digest, value, tied_at) values ($1, $2, clock_timestamp())
           on conflict (digest) do nothing returning value)
         select value from tied union all select value from cadre_key where digest = $1 limit 1`,
};

/** Another process may tie the key while the statement runs, and its row is seen by the next one. */
const TRIES = 5;

export async function tieKey(database: Database, key: string, value: string): Promise<string> {
  const digest = createHash('sha256').update(key).digest('hex');
  for (let tried = 0; tried < TRIES; tried++) {
    const [row] = await database.query<{ value: string }>(TIE, [digest, value]);
    if (row !== undefined) return row.value;
  }
  throw new Error(`The key ${digest} could be neither tied nor read.`);
}
