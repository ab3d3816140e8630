import { emptied, freshStore } from '../../../test/support/postgres.ts';
import { storeConformance } from '../store.conformance.ts';
import { postgresStore } from './postgres.ts';

let address: string | undefined;

storeConformance('postgres store', async () => {
  if (address !== undefined) await emptied(address);
  address ??= await freshStore();
  const store = postgresStore(address, { warn() {} });
  return { store, close: () => store.close?.() };
});
