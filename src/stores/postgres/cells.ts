// Cells in Postgres: small ones in one table and bytes in another, so that hot rows and large ones are not vacuumed together;
// secrets in a third, so that rights and backups can leave them out.
// Every statement may be repeated: who puts chooses the version, and finds its own again after a lost answer (CELL-2).

import { randomUUID } from 'node:crypto';
import { type Cell, type Cells, checkKey, firstOfKey, NO_BYTES, type Space } from '../../journal/cells.ts';
import { Batches } from './batches.ts';
import type { Connections } from './connections.ts';
import type { Database, Statement } from './database.ts';

type Table = 'cadre_cell' | 'cadre_blob' | 'cadre_sign_in';

const tableOf = ({ holds, isSecret }: Space): Table =>
  isSecret === true ? 'cadre_sign_in' : holds === 'lines' ? 'cadre_cell' : 'cadre_blob';

const PUT_AT = 'extract(epoch from put_at)::float8 * 1000 as "putAt"';
const SIZE = 'octet_length(body) as size';
/** The time after which a watcher looks by itself. */
const LOOK_MS = 1000;
/** Characters that sort below every key, and above every key that begins alike. */
const ABOVE = '\u007f';

const NEW = '($1, $2, $3, $4, $5, clock_timestamp())';
const COLUMNS = '(space, key, version, head, body, put_at)';

const PUTS = {
  absent: (table: Table) => `insert into ${table} ${COLUMNS} values ${NEW} on conflict do nothing`,
  any: (table: Table) => `insert into ${table} ${COLUMNS} values ${NEW} on conflict (space, key)
    do update set version = excluded.version, head = excluded.head, body = excluded.body, put_at = excluded.put_at`,
  version: (table: Table) => `update ${table} set version = $3, head = $4, body = $5, put_at = clock_timestamp()
    where space = $1 and key = $2 and version = $6`,
} as const;

/** The cell as it stands then: ours, or another. A row is missing where another process puts it at this moment. */
function putStatement(how: keyof typeof PUTS, space: Space): Statement {
  const table = tableOf(space);
  const [channel, word] = how === 'version' ? ['$7', '$8'] : ['$6', '$7'];
  const told = space.tells ? `pg_notify(${channel}, ${word})::text` : 'null';
  return {
    name: `cadre-put-${how}-${space.tells ? 'told-' : ''}${table}`,
    text: `with put as (${PUTS[how](table)} returning version, head, put_at, body)
           select version, head, ${PUT_AT}, ${SIZE}, ${told} as told from put
           union all
           select version, head, ${PUT_AT}, ${SIZE}, null from ${table}
             where space = $1 and key = $2 and not exists (select 1 from put)`,
  };
}

const getStatement = (table: Table): Statement => ({
  name: `cadre-get-${table}`,
  text: `select version, head, ${PUT_AT}, ${SIZE}, body from ${table} where space = $1 and key = $2`,
});
const touchStatement = (table: Table): Statement => ({
  name: `cadre-touch-${table}`,
  text: `update ${table} set version = $3, put_at = clock_timestamp() where space = $1 and key = $2 returning key`,
});
const deleteStatement = (table: Table): Statement => ({
  name: `cadre-delete-${table}`,
  text: `delete from ${table} t using unnest($1::text[], $2::text[], $3::text[]) as d (space, key, version)
         where t.space = d.space and t.key = d.key and (d.version is null or d.version = t.version)
         returning t.space, t.key, t.version`,
});

interface CellRow {
  readonly key: string;
  readonly version: string;
  readonly putAt: number;
  readonly size: number;
  readonly head?: string;
  readonly body?: Buffer;
  readonly [column: string]: unknown;
}

const cellOf = (key: string, { version, putAt, size, head = '', body }: CellRow): Cell => ({
  key,
  version,
  putAt,
  size,
  head,
  body: body === undefined ? NO_BYTES : new Uint8Array(body.buffer, body.byteOffset, body.length),
});

interface Deletion {
  readonly space: string;
  readonly key: string;
  readonly version: string | undefined;
}

export function postgresCells({ database, session, lookout }: Omit<Connections, 'unknown' | 'warn'>): Cells {
  const deletions = {
    cadre_cell: deletionsFrom('cadre_cell', database),
    cadre_blob: deletionsFrom('cadre_blob', database),
    cadre_sign_in: deletionsFrom('cadre_sign_in', database),
  };
  const remove = (space: Space, key: string, version?: string): Promise<boolean> =>
    deletions[tableOf(space)].add({ space: space.name, key, version });
  return {
    async get(space, key) {
      const [row] = await database.query<CellRow>(getStatement(tableOf(space)), [space.name, key]);
      return row && cellOf(key, row);
    },
    async putIf(space, key, { head, body }, expected) {
      const how = typeof expected === 'object' ? 'version' : expected;
      const version = randomUUID();
      const values: unknown[] = [space.name, checkKey(key), version, head, Buffer.from(body)];
      if (typeof expected === 'object') values.push(expected.version);
      if (space.tells) values.push(await session.channel('told'), `${space.name} ${firstOfKey(key)}`);
      const [row] = await database.query<CellRow>(putStatement(how, space), values);
      if (row?.version === version) return { isPut: true, version };
      return { isPut: false, standing: row && { ...cellOf(key, row), body: NO_BYTES } };
    },
    async touch(space, key) {
      const touched = await database.query(touchStatement(tableOf(space)), [space.name, key, randomUUID()]);
      return touched.length > 0;
    },
    async list(space, prefix, { limit, order = 'up', with: part = 'heads' } = {}) {
      const table = tableOf(space);
      const columns = `key, version, ${PUT_AT}, ${SIZE}${part === 'keys' ? '' : ', head'}${part === 'bodies' ? ', body' : ''}`;
      const statement: Statement = {
        name: `cadre-list-${part}-${order}-${table}`,
        text: `select ${columns} from ${table} where space = $1 and key >= $2 and key < $3
               order by key ${order === 'up' ? 'asc' : 'desc'} limit $4`,
      };
      const rows = await database.query<CellRow>(statement, [space.name, prefix, prefix + ABOVE, limit ?? null]);
      return rows.map((row) => cellOf(row.key, row));
    },
    delete: remove,
    async setAside(space, key) {
      await remove(space, key);
      return undefined;
    },
    watch: ({ name }, first, told) => {
      if (name === 'control') return lookout.wait('control', first, told);
      const deaf = lookout.on(name, (rest) => {
        if (rest === first) told();
      });
      const looking = setInterval(told, LOOK_MS).unref(); // LOOK-1: what was put before we listened is found
      return () => {
        deaf();
        clearInterval(looking);
      };
    },
  };
}

/** Those of one moment in one statement: one after the other, a collection took 26 times as long. */
const deletionsFrom = (table: Table, database: Database): Batches<Deletion, boolean> =>
  new Batches<Deletion, boolean>({
    atOnce: 2,
    most: 1000,
    sizeOf: () => 1,
    async send(all) {
      const gone = await database.query<CellRow & { readonly space: string }>(deleteStatement(table), [
        all.map(({ space }) => space),
        all.map(({ key }) => key),
        all.map(({ version }) => version ?? null),
      ]);
      const left = new Map(gone.map((row) => [`${row.space} ${row.key}`, row.version]));
      return all.map(({ space, key, version }) => {
        const was = left.get(`${space} ${key}`);
        if (was === undefined || (version !== undefined && version !== was)) return false;
        return left.delete(`${space} ${key}`); // of several that delete it, one does
      });
    },
  });
