import { expect, test } from 'vitest';
import { emptied, freshStore } from '../../../test/support/postgres.ts';
import { cellsConformance } from '../../journal/cells.conformance.ts';
import { signInsConformance } from '../../journal/sign-ins.conformance.ts';
import { storeConformance } from '../../journal/store.conformance.ts';
import { spendingConformance } from '../spending.conformance.ts';
import { postgresCells } from './cells.ts';
import { Database } from './database.ts';
import { postgresStore } from './postgres-store.ts';
import { RunWatcher } from './run-watcher.ts';
import { HolderSession } from './session.ts';

let address: string | undefined;

async function emptyPlace(): Promise<string> {
  if (address !== undefined) await emptied(address);
  address ??= await freshStore();
  return address;
}

storeConformance('postgres store', async () => {
  const store = postgresStore(await emptyPlace(), { warn() {} });
  return { store, close: () => store.close?.() };
});

spendingConformance('the postgres store', async () => {
  const store = postgresStore(await emptyPlace(), { warn() {} });
  return { store, close: () => store.close?.() };
});

signInsConformance('sign-ins in Postgres', async () => {
  const at = await emptyPlace();
  const [store, other] = [postgresStore(at, { warn() {} }), postgresStore(at, { warn() {} })];
  return {
    store,
    other,
    async close() {
      await store.close?.();
      await other.close?.();
    },
  };
});

test('sign-ins lie in a table of their own, and no other table has a word of them', async () => {
  const at = await emptyPlace();
  const store = postgresStore(at, { warn() {} });
  await store.signIns?.put('a'.repeat(64), { head: 'h', body: 'the-token-itself' }, 'absent');
  await store.close?.();
  const database = new Database(at, { warn() {} });
  const texts = async (table: string): Promise<string> =>
    JSON.stringify(
      await database.query({
        name: `all-${table}`,
        text: `select *, convert_from(body, 'UTF8') as said from ${table}`,
      }),
    );
  expect(await texts('cadre_sign_in')).toContain('the-token-itself');
  expect(await texts('cadre_cell')).not.toContain('the-token-itself');
  await database.close();
});

function openedCells(at: string) {
  const database = new Database(at, { warn() {} });
  const session = new HolderSession(database);
  const lookout = new RunWatcher(database, session);
  const close = async (): Promise<void> => {
    lookout.close();
    await session.close();
    await database.close();
  };
  return { cells: postgresCells({ database, session, lookout }), close };
}

cellsConformance('cells in Postgres', async () => {
  const at = await emptyPlace();
  const [one, other] = [openedCells(at), openedCells(at)];
  return {
    cells: one.cells,
    others: other.cells,
    async close() {
      await one.close();
      await other.close();
    },
  };
});
