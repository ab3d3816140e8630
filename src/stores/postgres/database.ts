// Statements on Postgres over a few connections, and the only file that loads `pg`. Callers give statements that may be
// repeated: each is written so that a second time changes nothing.
// PG-1. Only a broken connection, or a server that starts or stops, is worth another try. What the server refuses is
//       refused at once.
// PG-2. A database that was never reached is an error at once. One that was reached before is waited for.
// PG-3. No message holds the password.
// PG-4. All processes of a store go by the clock of the database: deadlines and times hold whichever machine works on a
//       run. Clocks that differ by less than a second are the same clock; the difference is the way to the database.

import { setTimeout } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type pg from 'pg';
import type { Client, ClientBase, Pool, PoolConfig, QueryResultRow } from 'pg';
import { findPackage } from '../../base/disk/package.ts';
import { FaultError, fail } from '../../kernel/fault.ts';
import { shownAddress, withSettings } from './address.ts';
import { migrate } from './migrations.ts';

export interface Statement {
  /** Prepared once for each connection under this name. Absent if how it is best done depends on what it is given. */
  readonly name?: string;
  readonly text: string;
}

/**
 * The number of connections. Statements of many runs go together, so a few are enough: 4 to 16 made no difference at
 * 100 runs at once.
 */
const CONNECTIONS = 8;
const WAIT_MS = 60_000;
const CONNECT_MS = 5000;
const ANSWER_MS = 20_000;
const SAME_CLOCK_MS = 1000;
const CLOCK = 'select (extract(epoch from clock_timestamp()) * 1000)::float8 as now';
const PAUSES_MS: readonly number[] = [50, 100, 200, 500, 1000];

export class Database {
  /** The address, as people may read it. */
  readonly shown: string;
  readonly #address: string;
  readonly #options;
  #pool: Promise<Pool> | undefined;
  #ready: Promise<void> | undefined;
  #isReached = false;
  #isClosed = false;
  #isAwayTold = false;
  #aheadMs = 0;

  constructor(
    address: string,
    options: {
      /** The number of connections that statements are spread over. */
      readonly connections?: number;
      /** The time for which an outage is waited out. */
      readonly waitMs?: number;
      warn(text: string): void;
    },
  ) {
    this.shown = shownAddress(address);
    this.#address = withSettings(address);
    this.#options = options;
  }

  /** The rows. Waits out an outage and repeats the statement. Throws `store/unreachable`. */
  async query<Row extends QueryResultRow>(
    { name, text }: Statement,
    values: readonly unknown[] = [],
    answerMs: number = ANSWER_MS,
  ): Promise<Row[]> {
    return this.#persist(async () => {
      await (this.#ready ??= this.#prepare());
      const pool = await this.#connected();
      const config = { ...(name !== undefined && { name }), text, values: [...values], query_timeout: answerMs };
      return (await pool.query<Row>(config)).rows;
    });
  }

  /** Reaches the database, if that was not done before. */
  open(): Promise<void> {
    return this.#persist(() => (this.#ready ??= this.#prepare()));
  }

  /** The milliseconds by which the clock of the database is ahead of ours, as last measured (PG-4). */
  get aheadMs(): number {
    return this.#aheadMs;
  }

  /** Called now and then, because clocks drift and are set. */
  async measureClock(client: ClientBase): Promise<void> {
    const before = Date.now();
    const { rows } = await client.query<{ now: number }>(CLOCK);
    const ahead = (rows[0]?.now ?? before) - (before + Date.now()) / 2;
    this.#aheadMs = Math.abs(ahead) < SAME_CLOCK_MS ? 0 : Math.round(ahead);
  }

  /** A connection that stays open, for what belongs to a connection: locks and notifications. */
  async connect(): Promise<Client> {
    return this.#persist(async () => {
      await (this.#ready ??= this.#prepare());
      const { Client } = await loaded(this.shown);
      const client = new Client({ ...this.#config(), query_timeout: ANSWER_MS });
      client.on('error', () => {}); // the end of the connection tells the owner
      try {
        await client.connect();
      } catch (thrown) {
        client.end().catch(() => {});
        throw thrown;
      }
      return client;
    });
  }

  /** An outage is not waited out any more. */
  stopWaiting(): void {
    this.#isClosed = true;
  }

  async close(): Promise<void> {
    this.stopWaiting();
    const pool = await this.#pool;
    this.#pool = undefined;
    await pool?.end();
  }

  #config(): PoolConfig {
    return {
      connectionString: this.#address,
      application_name: 'cadre',
      connectionTimeoutMillis: CONNECT_MS,
      keepAlive: true,
    };
  }

  #connected(): Promise<Pool> {
    this.#pool ??= loaded(this.shown).then(({ Pool }) => {
      const max = this.#options.connections ?? CONNECTIONS;
      const pool = new Pool({ ...this.#config(), max, allowExitOnIdle: true });
      pool.on('error', () => {}); // an idle connection broke: the next statement opens another
      return pool;
    });
    return this.#pool;
  }

  async #prepare(): Promise<void> {
    try {
      const pool = await this.#connected();
      const client = await pool.connect();
      const broken = (): void => {}; // what is asked of it fails; nobody else hears of a connection that is in use
      client.on('error', broken);
      let failure: unknown;
      try {
        await migrate(client, this.shown);
        await this.measureClock(client);
      } catch (thrown) {
        failure = thrown;
        throw thrown;
      } finally {
        client.off('error', broken);
        client.release(failure !== undefined);
      }
      this.#isReached = true;
    } catch (thrown) {
      this.#ready = undefined;
      throw thrown;
    }
  }

  /** PG-1, PG-2 */
  async #persist<Value>(work: () => Promise<Value>): Promise<Value> {
    const since = Date.now();
    const waitMs = this.#options.waitMs ?? WAIT_MS;
    for (let attempt = 0; ; attempt++) {
      try {
        const value = await work();
        this.#isAwayTold = false;
        return value;
      } catch (thrown) {
        const isWorth = !this.#isClosed && isPassing(thrown) && (this.#isReached || isStarting(thrown));
        if (!isWorth || Date.now() - since > waitMs) throw this.#faultOf(thrown);
        if (attempt === 2) this.#tellAway(thrown);
        await setTimeout(PAUSES_MS[Math.min(attempt, PAUSES_MS.length - 1)]);
      }
    }
  }

  /** Once for each outage, however many statements wait. */
  #tellAway(thrown: unknown): void {
    if (this.#isAwayTold) return;
    this.#isAwayTold = true;
    this.#options.warn(`${this.shown} does not answer. Waiting for it: ${wordsOf(thrown)}`);
  }

  #faultOf(thrown: unknown): unknown {
    if (thrown instanceof FaultError) return thrown;
    const refused = !isPassing(thrown) && this.#isReached;
    const details = { code: codeOf(thrown) ?? null, ...(refused && { refused }) };
    const what = refused ? 'refused a statement' : isPassing(thrown) ? 'cannot be reached' : 'cannot be used';
    const fault = {
      code: 'store/unreachable',
      message: `The store ${this.shown} ${what}: ${wordsOf(thrown)}`,
      details,
    };
    return new FaultError(fault as FaultError['fault']); // PG-3: the words of the server do not hold the address
  }
}

/** Found beside Cadre, or from the current folder upward. */
async function loaded(shown: string) {
  try {
    return await import('pg');
  } catch (thrown) {
    if (codeOf(thrown) !== 'ERR_MODULE_NOT_FOUND') throw thrown;
  }
  const found = findPackage('pg', process.cwd());
  if (found?.entry === undefined)
    return fail('config/invalid', `The store ${shown} needs the package pg, which is not installed: npm i pg@8`);
  const { default: driver } = (await import(pathToFileURL(found.entry).href)) as {
    readonly default: Pick<typeof pg, 'Client' | 'Pool'>;
  };
  return driver;
}

/** True if the database was there and refused: then another statement may still be done. */
export const isRefused = (thrown: unknown): boolean =>
  thrown instanceof FaultError &&
  thrown.fault.code === 'store/unreachable' &&
  (thrown.fault.details as { readonly refused?: boolean } | undefined)?.refused === true;

const codeOf = (thrown: unknown): string | undefined => {
  const { code } = (thrown ?? {}) as { readonly code?: unknown };
  return typeof code === 'string' ? code : undefined;
};

/**
 * The words of an error, with those of every address that was tried: Node puts these into an error without a message of
 * its own.
 */
function wordsOf(thrown: unknown): string {
  if (thrown instanceof AggregateError) return thrown.errors.map(wordsOf).join(', ');
  return thrown instanceof Error ? thrown.message : String(thrown);
}

const BROKEN = /^(ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|EAI_AGAIN|ENOTFOUND)$/;
const STARTING = /^(57P0[1-3]|53300)$/;
/** The driver has no codes for these. */
const BROKEN_WORDS = /connection terminated|connection timeout|timeout exceeded|query read timeout|not queryable/i;

/** True if another try may succeed. */
function isPassing(thrown: unknown): boolean {
  if (thrown instanceof FaultError) return false;
  if (thrown instanceof AggregateError) return thrown.errors.some(isPassing);
  const code = codeOf(thrown);
  if (code === undefined) return BROKEN_WORDS.test(wordsOf(thrown));
  return BROKEN.test(code) || STARTING.test(code) || /^(08|40)/.test(code);
}

const isStarting = (thrown: unknown): boolean => STARTING.test(codeOf(thrown) ?? '');
