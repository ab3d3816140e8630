// Blobs in Postgres, by their digest. Times are the database's: machines that put and collect need not agree.

import { createHash } from 'node:crypto';
import type { Blobs, Collected, CollectOptions } from '../../store.ts';
import type { Database, Statement } from './database.ts';

const PUT: Statement = {
  name: 'cadre-put',
  text: `insert into cadre_blob (digest, bytes, put_at) values ($1, $2, clock_timestamp())
         on conflict (digest) do update set put_at = clock_timestamp()`,
};
const GET: Statement = { name: 'cadre-get', text: 'select bytes from cadre_blob where digest = $1' };
const COUNT: Statement = {
  name: 'cadre-count-blobs',
  text: `select is_kept, count(*)::int as count, coalesce(sum(size), 0)::float8 as bytes from (
           select length(bytes) as size, put_at >= to_timestamp($1::float8 / 1000)
             or digest in (select unnest(named) from cadre_event where named is not null) as is_kept
           from cadre_blob) as found
         group by is_kept`,
};
const COLLECT: Statement = {
  name: 'cadre-collect',
  text: `with gone as (
           delete from cadre_blob where put_at < to_timestamp($1::float8 / 1000)
             and digest not in (select unnest(named) from cadre_event where named is not null)
           returning length(bytes) as size),
         sizes as (select coalesce(sum(size), 0)::float8 as bytes, count(*)::int as count from gone)
         select false as is_kept, count, bytes from sizes
         union all
         select true, (count(*) - (select count from sizes))::int,
           (coalesce(sum(length(bytes)), 0) - (select bytes from sizes))::float8 from cadre_blob`,
};
const FORGET: Statement = {
  name: 'cadre-forget-keys',
  text: 'delete from cadre_key where tied_at < to_timestamp($1::float8 / 1000)',
};
/** What processes left that died before the first event of a run, or that are gone for a day. */
const TIDY: Statement = {
  name: 'cadre-tidy',
  text: `with unbegun as (
           delete from cadre_run where events = 0 and held_by <> all (array(select id from cadre_alive))),
         unheld as (
           delete from cadre_slot where held_by <> all (array(select id from cadre_alive)))
         delete from cadre_holder where seen_at < clock_timestamp() - interval '1 day'
           and not exists (select 1 from cadre_run r where r.held_by = cadre_holder.id and r.outcome is null)`,
};

export function postgresBlobs(database: Database): Blobs {
  return {
    async put(bytes) {
      const digest = createHash('sha256').update(bytes).digest('hex');
      await database.query(PUT, [digest, Buffer.from(bytes)]);
      return digest;
    },
    async get(digest) {
      const [row] = await database.query<{ bytes: Uint8Array }>(GET, [digest]);
      return row && Uint8Array.from(row.bytes);
    },
  };
}

interface Counted {
  readonly is_kept: boolean;
  readonly count: number;
  readonly bytes: number;
  readonly [column: string]: unknown;
}

const LONG_MS = 600_000;

export async function collectBlobs(database: Database, { before, dryRun = false }: CollectOptions): Promise<Collected> {
  await database.open();
  const moment = before + database.aheadMs;
  if (!dryRun) {
    await database.query(TIDY, [], LONG_MS);
    await database.query(FORGET, [moment], LONG_MS);
  }
  const rows = await database.query<Counted>(dryRun ? COUNT : COLLECT, [moment], LONG_MS);
  const sizes = (isKept: boolean) => {
    const { count = 0, bytes = 0 } = rows.find(({ is_kept: kept }) => kept === isKept) ?? {};
    return { count, bytes };
  };
  return { kept: sizes(true), removed: sizes(false) };
}
