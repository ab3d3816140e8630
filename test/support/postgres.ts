// A real Postgres for tests. One server for each process of the test run that asks for it; every store is a schema of its
// own. The server goes with the process.

import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type OrderedServer, orderedServer } from './ordered-server.ts';

export interface PostgresServer extends OrderedServer {
  /** The address of its database. */
  readonly url: string;
}

/** Data that survives `kill -9` of a process survives without fsync too. */
const FLAGS = ['-c', 'fsync=off'];

/** A server for one test that stops it. */
export async function postgresServer(flags: readonly string[] = FLAGS): Promise<PostgresServer> {
  const { first, ...server } = await orderedServer('./postgres-server.mjs', flags);
  return { ...server, url: first['url'] ?? '' };
}

let shared: Promise<PostgresServer> | undefined;

/** The server of this process. Tests that stop it take one of their own. */
export const sharedPostgres = (): Promise<PostgresServer> => (shared ??= postgresServer());

/** The address of a store that nobody else uses: a new schema of the server. */
export async function freshStore(server?: PostgresServer): Promise<string> {
  const { url } = server ?? (await sharedPostgres());
  const schema = `s${randomBytes(6).toString('hex')}`;
  await sql(url, `create schema ${schema}`);
  return inSchema(url, schema);
}

const TABLES = ['sign_in', 'spent', 'cell', 'run', 'event', 'blob', 'slot', 'holder'];

/** Removes all that a store holds. */
export const emptied = (url: string): Promise<unknown> =>
  sql(url, TABLES.map((table) => `delete from cadre_${table}`).join(';'));

export const inSchema = (url: string, schema: string): string =>
  `${url}?options=${encodeURIComponent(`-c search_path=${schema}`)}`;

/** One statement on a connection of its own. */
export async function sql(url: string, text: string, values?: readonly unknown[]): Promise<pg.QueryResultRow[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(text, values && [...values])).rows;
  } finally {
    await client.end();
  }
}
