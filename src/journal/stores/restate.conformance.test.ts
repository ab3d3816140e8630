import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptied, noRestate, restateWorker, sharedRestate } from '../../../test/support/restate.ts';
import { runStart, sendMessage, storeConformance, write } from '../store.conformance.ts';
import { CONTROL } from './restate/wire.ts';
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

  test('a message that is not understood stays for the run that takes it, which drops it and says so', async () => {
    await emptied(url);
    const warnings: string[] = [];
    const store = restateStore(url, { warn: (text) => warnings.push(text) });
    await write(store, 'r1', [runStart('r1')]);
    const odd = JSON.stringify(['odd', '{"kind":"of a later release"}']);
    await store.client.text([CONTROL, 'r1', 'post'], odd, { once: true });
    await store.control.post('r1', sendMessage('one'));
    const left = async () => JSON.parse(await store.client.text([CONTROL, 'r1', 'posted'])) as [string, string][];
    expect(await store.control.posted('r1')).toEqual([sendMessage('one')]);
    expect((await left()).map(([id]) => id)).toEqual(['odd', 'one']);
    expect(warnings).toEqual([]);
    expect(await store.control.pending('r1')).toEqual([sendMessage('one')]);
    expect((await left()).map(([id]) => id)).toEqual(['one']);
    expect(warnings).toEqual([expect.stringMatching(/^A message to run r1 was dropped, because its kind is not /)]);
    await store.close();
  });
});
