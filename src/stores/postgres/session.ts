// The one connection of this process that stays open. It hears what other processes tell, and it holds the lock by which
// they see that this one is alive. When it breaks it is opened again, for as long as the store is in use.
// SEEN-1. A process that holds runs has a number, a lock of that number, and a time at which it was last seen. It counts
//         as alive while it has the lock and was seen lately: a crash frees the lock at once, a process that hangs or a
//         machine that vanished is not seen any more. The clock is the database's.
// SEEN-2. The connection keeps the process alive only while it is being opened or asked something.
// SEEN-3. It is asked one thing at a time: the driver warns of a statement that comes while another is under way. A beat that
//         does not get its turn in time cuts the connection, as one without an answer does.

import { createHash, randomInt } from 'node:crypto';
import { hostname } from 'node:os';
import type { Client } from 'pg';
import type { Database } from './database.ts';
import { ALIVE_CLASS } from './migrations.ts';

interface HolderCard {
  /** The name as people read it. */
  readonly name: string;
  readonly kind: 'process' | 'worker';
  readonly labels: readonly string[];
  readonly workspace?: string;
  /** The card of a worker, as JSON. */
  readonly takes?: string;
}

/** The channels between processes: notices to each other, the progress of runs, work, and live text. */
export type Channel = 'told' | 'runs' | 'work' | 'live';

const BEAT_MS = 5000;
const AGAIN_MS = 1000;

export class HolderSession {
  readonly #database: Database;
  readonly #id = randomInt(1, 2 ** 31 - 1);
  #card: HolderCard = { name: `${hostname()}:${process.pid}`, kind: 'process', labels: [] };
  readonly #ears = new Map<Channel, (payload: string) => void>();
  readonly #opened: (() => void)[] = [];
  #client: Promise<Client> | undefined;
  #prefix: string | undefined;
  #isHolder = false;
  #registered: Promise<void> | undefined;
  #isLocked = false;
  #beat: NodeJS.Timeout | undefined;
  #again: NodeJS.Timeout | undefined;
  #isClosed = false;
  /** Settles when what was asked last has been answered. */
  #turn: Promise<unknown> = Promise.resolve();

  constructor(database: Database) {
    this.#database = database;
  }

  /** The number of this process. From now on the store knows that it is alive (SEEN-1). */
  async holder(): Promise<number> {
    this.#registered ??= this.#becomeHolder().catch((thrown: unknown) => {
      this.#registered = undefined;
      throw thrown;
    });
    await this.#registered;
    await this.#open();
    return this.#id;
  }

  async #becomeHolder(): Promise<void> {
    this.#isHolder = true;
    const client = await this.#open();
    await this.#asked(client, () => this.#register(client));
    this.#beat ??= setInterval(() => void this.#beatOnce(), BEAT_MS).unref();
  }

  /** Says who this process is, before or after it has a number. */
  async introduce(card: HolderCard): Promise<number> {
    this.#card = card;
    const wasHolder = this.#isHolder;
    const id = await this.holder();
    if (wasHolder) {
      const client = await this.#open();
      await this.#asked(client, () => this.#register(client));
    }
    return id;
  }

  /** Opens the connection if needed. `heard` gets what is told on the channel. */
  listen(channel: Channel, heard: (payload: string) => void): void {
    if (this.#ears.has(channel)) return;
    this.#ears.set(channel, heard);
    const isOpen = this.#client !== undefined;
    this.#open()
      .then((client) => (isOpen ? this.#asked(client, () => this.#listenTo(client, channel)) : undefined))
      .catch(() => this.#openAgain());
  }

  /** Called whenever the connection was opened: what was told meanwhile was not heard. */
  onOpened(told: () => void): void {
    this.#opened.push(told);
  }

  /** The name of a channel of this store: a database may hold several, each in its schema. */
  async channel(channel: Channel): Promise<string> {
    this.#prefix ??= await this.#readPrefix();
    return `${this.#prefix}_${channel}`;
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearInterval(this.#beat);
    clearTimeout(this.#again);
    const client = await this.#client?.catch(() => undefined);
    if (client === undefined) return;
    referable(client).ref();
    if (this.#isHolder) await client.query('delete from cadre_holder where id = $1', [this.#id]).catch(() => {}); // it is gone soon
    await client.end().catch(() => {});
  }

  #open(): Promise<Client> {
    this.#client ??= this.#connect().catch((thrown: unknown) => {
      this.#client = undefined;
      throw thrown;
    });
    return this.#client;
  }

  async #connect(): Promise<Client> {
    const client = await this.#database.connect();
    client.on('notification', ({ channel, payload = '' }) => {
      for (const [name, heard] of this.#ears) if (channel === `${this.#prefix}_${name}`) heard(payload);
    });
    client.once('end', () => this.#lost());
    await this.channel('told');
    for (const channel of this.#ears.keys()) await this.#listenTo(client, channel);
    if (this.#isHolder) await this.#register(client);
    unref(client); // SEEN-2
    for (const told of this.#opened) told();
    return client;
  }

  #lost(): void {
    this.#client = undefined;
    this.#isLocked = false;
    this.#openAgain();
  }

  #openAgain(): void {
    if (this.#isClosed || this.#client !== undefined || (!this.#isHolder && this.#ears.size === 0)) return;
    this.#open().catch(() => {
      clearTimeout(this.#again);
      this.#again = setTimeout(() => this.#openAgain(), AGAIN_MS).unref();
    });
  }

  async #register(client: Client): Promise<void> {
    const { name, kind, labels, workspace = null, takes = null } = this.#card;
    await client.query(
      `insert into cadre_holder (id, name, kind, labels, workspace, takes) values ($1, $2, $3, $4, $5, $6)
       on conflict (id) do update
       set name = $2, kind = $3, labels = $4, workspace = $5, takes = $6, seen_at = clock_timestamp()`,
      [this.#id, name, kind, [...labels], workspace, takes],
    );
    await this.#lock(client);
  }

  /** The server may not have noticed yet that our last connection is gone: then that one has the lock. */
  async #lock(client: Client): Promise<void> {
    if (this.#isLocked) return;
    const { rows } = await client.query<{ locked: boolean }>('select pg_try_advisory_lock($1, $2) as locked', [
      ALIVE_CLASS,
      this.#id,
    ]);
    this.#isLocked = rows[0]?.locked === true;
  }

  /** SEEN-2, SEEN-3 */
  #asked<Value>(client: Client, work: () => Promise<Value>): Promise<Value> {
    referable(client).ref(); // until its turn
    return this.#inTurn(async () => {
      referable(client).ref(); // the one before let go of it
      try {
        return await work();
      } finally {
        unref(client);
      }
    });
  }

  #inTurn<Value>(work: () => Promise<Value>): Promise<Value> {
    const mine = this.#turn.then(work);
    this.#turn = mine.catch(() => {}); // whoever asked gets the failure
    return mine;
  }

  async #beatOnce(): Promise<void> {
    const client = await this.#client?.catch(() => undefined);
    if (client === undefined) return;
    const late = setTimeout(() => cut(client), BEAT_MS).unref(); // what was asked before does not end
    try {
      await this.#inTurn(async () => {
        clearTimeout(late);
        const beat = { text: 'update cadre_holder set seen_at = clock_timestamp() where id = $1', values: [this.#id] };
        const { rowCount } = await client.query({ ...beat, query_timeout: BEAT_MS } as typeof beat);
        if (rowCount === 0) await this.#register(client);
        else await this.#lock(client);
        await this.#database.measureClock(client);
      });
    } catch {
      cut(client); // its end opens another
    }
  }

  async #listenTo(client: Client, channel: Channel): Promise<void> {
    await client.query(`listen "${await this.channel(channel)}"`);
  }

  async #readPrefix(): Promise<string> {
    const rows = await this.#database.query<{ schema: string | null }>({
      name: 'cadre-schema',
      text: 'select current_schema()::text as schema',
    });
    const schema = rows[0]?.schema ?? 'public';
    if (schema === 'public') return 'cadre';
    return `cadre_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`;
  }
}

const unref = (client: Client): void => referable(client).unref();

/** The driver has these, and its types do not say so. */
const referable = (client: Client) => client as unknown as { ref(): void; unref(): void };

const cut = (client: Client): void => {
  (client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }).connection.stream.destroy();
};
