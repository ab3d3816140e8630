import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { emptied, freshStore } from '../../test/support/postgres.ts';
import { loadCadre } from '../definition/load.ts';
import type { RunStore } from '../journal/store.ts';
import { fromElsewhere } from '../run/approver.ts';
import { fileStore } from '../stores/file/file-store.ts';
import { memoryStore } from '../stores/memory.ts';
import { postgresStore } from '../stores/postgres/postgres-store.ts';
import { type EngineHost, engineConformance } from './engine.conformance.ts';
import type { Engine } from './engine.ts';
import { openEngine } from './open.ts';

/** Each engine has its own view of one store. */
function placeOn(view: () => RunStore, close: () => void = () => {}): EngineHost {
  const stores = new Map<Engine, RunStore>();
  return {
    async open(folder) {
      const store = view();
      const engine = await openEngine(await loadCadre(folder), { store, approve: fromElsewhere, warn() {} });
      stores.set(engine, store);
      return engine;
    },
    async crash(engine) {
      const store = stores.get(engine) as RunStore;
      for (const { run } of await store.list({ state: 'running' })) await store.takeOver(run);
    },
    async close() {
      for (const store of stores.values()) await store.close?.();
      close();
    },
  };
}

engineConformance('local, memory store', async () => {
  const store = memoryStore();
  return placeOn(() => store);
});

engineConformance('local, file store', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'cadre-engine-store-'));
  return placeOn(
    () => fileStore(dir),
    () => rmSync(dir, { recursive: true, force: true }),
  );
});

let address: string | undefined;

engineConformance('local, postgres store', async () => {
  if (address !== undefined) await emptied(address);
  address ??= await freshStore();
  const place = address;
  return placeOn(() => postgresStore(place, { warn() {} }));
});
