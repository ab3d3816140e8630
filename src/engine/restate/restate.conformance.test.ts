import { describe } from 'vitest';
import { emptied, noRestate, restateWorker, sharedRestate } from '../../../test/support/restate.ts';
import { loadCadre } from '../../definition/load.ts';
import { type RestateStore, restateStore } from '../../stores/restate/restate-store.ts';
import { type EngineHost, engineConformance } from '../engine.conformance.ts';
import { openEngine } from '../open.ts';

/** The engines stand for commands; a worker in this process does their work. */
async function restateHost(): Promise<EngineHost> {
  const { url } = await sharedRestate();
  const stores: RestateStore[] = [];
  let worker: Awaited<ReturnType<typeof restateWorker>> | undefined;
  return {
    async open(folder) {
      if (worker === undefined) {
        worker = await restateWorker(url, folder);
        await emptied(url);
      }
      const store = restateStore(url, { warn() {} });
      stores.push(store);
      return openEngine(await loadCadre(folder), { store, warn() {} });
    },
    async crash() {
      const [store] = stores;
      for (const { run } of (await store?.list({ state: 'running' })) ?? []) await store?.takeOver(run);
    },
    async close() {
      await worker?.close();
      for (const store of stores) await store.close();
    },
  };
}

describe.skipIf(noRestate !== undefined)(`a real Restate${noRestate === undefined ? '' : ` (${noRestate})`}`, () => {
  engineConformance(
    'restate',
    restateHost,
    'Restate carries live events after a moment: see test/fleet/restate.test.ts',
  );
});
