import { emptied, freshStore } from '../../../test/support/postgres.ts';
import { cellsConformance } from '../../journal/cells.conformance.ts';
import { storeConformance } from '../../journal/store.conformance.ts';
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
