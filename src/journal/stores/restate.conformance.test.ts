import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe } from 'vitest';
import { emptied, noRestate, restateWorker, sharedRestate } from '../../../test/support/restate.ts';
import { storeConformance } from '../store.conformance.ts';
import { restateStore } from './restate.ts';

describe.skipIf(noRestate !== undefined)(`a real Restate${noRestate === undefined ? '' : ` (${noRestate})`}`, () => {
  const folder = mkdtempSync(join(tmpdir(), 'cadre-restate-'));
  writeFileSync(join(folder, 'one.md'), '---\ndescription: One.\nmodels: [demo/any]\n---\nOne.\n');
  writeFileSync(join(folder, 'cadre.yaml'), 'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}\n');
  writeFileSync(join(folder, 'demo.script.yaml'), 'agents: {one: [{answer: "yes"}]}\n');
  let url: string;
  let worker: Awaited<ReturnType<typeof restateWorker>>;
  beforeAll(async () => {
    ({ url } = await sharedRestate());
    worker = await restateWorker(url, folder);
  });
  afterAll(async () => {
    await worker.close();
    rmSync(folder, { recursive: true, force: true });
  });

  storeConformance('restate store', async () => {
    await emptied(url);
    const store = restateStore(url, { warn() {} });
    return { store, close: () => store.close() };
  });
});
