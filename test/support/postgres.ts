// A real Postgres for tests. One server for each thread of the test run that asks for it; every store is a schema of its
// own. The server goes with the thread.

import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';

const SCRIPT = fileURLToPath(new URL('./postgres-server.mjs', import.meta.url));

export interface PostgresServer {
  /** Of its database. */
  readonly url: string;
  /** Stops it as a crash does. */
  crash(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

/** What survives `kill -9` of a process survives without fsync too. */
const FLAGS = ['-c', 'fsync=off'];

/** A server for one test that stops it. */
export async function postgresServer(flags: readonly string[] = FLAGS): Promise<PostgresServer> {
  const child = spawn(process.execPath, [SCRIPT, ...flags], {
    stdio: ['pipe', 'pipe', 'inherit'],
  }) as never as ChildProcessWithoutNullStreams;
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const answer = async (): Promise<Readonly<Record<string, string>>> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error('The Postgres of the tests ended.');
    const said = JSON.parse(value) as Readonly<Record<string, string>>;
    if (said['error'] !== undefined) throw new Error(said['error']);
    return said;
  };
  const order = async (line: string): Promise<void> => {
    child.stdin.write(`${line}\n`);
    await answer();
  };
  const { url = '' } = await answer();
  return {
    url,
    crash: () => order('crash'),
    start: () => order('start'),
    close: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.stdin.end();
      }),
  };
}

let shared: Promise<PostgresServer> | undefined;

/** The server of this thread. Tests that stop it take one of their own. */
export const sharedPostgres = (): Promise<PostgresServer> => (shared ??= postgresServer());

/** The address of a store that nobody else uses: a new schema of the server. */
export async function freshStore(server?: PostgresServer): Promise<string> {
  const { url } = server ?? (await sharedPostgres());
  const schema = `s${randomBytes(6).toString('hex')}`;
  await sql(url, `create schema ${schema}`);
  return inSchema(url, schema);
}

const TABLES = ['key', 'run', 'event', 'blob', 'control', 'slot', 'holder'];

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
