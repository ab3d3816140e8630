import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emptied, noRestate, restateWorker, sharedRestate } from '../../../test/support/restate.ts';
import { cellsConformance } from '../../journal/cells.conformance.ts';
import { type Space, textValue } from '../../journal/cells.ts';
import { runStart, sendMessage, storeConformance, write } from '../../journal/store.conformance.ts';
import { spendingConformance } from '../spending.conformance.ts';
import { restateCells } from './cells.ts';
import { restateStore } from './restate-store.ts';

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

  spendingConformance('the restate store', async () => {
    await emptied(url);
    const store = restateStore(url, { warn() {} });
    return { store, close: () => store.close() };
  });

  cellsConformance('cells in Restate', async () => {
    await emptied(url);
    const [one, other] = [restateStore(url, { warn() {} }), restateStore(url, { warn() {} })];
    return {
      cells: restateCells(one.client),
      others: restateCells(other.client),
      async close() {
        await one.close();
        await other.close();
      },
    };
  });

  test('a message that is not understood stays for the run that takes it, which drops it and says so', async () => {
    await emptied(url);
    const warnings: string[] = [];
    const store = restateStore(url, { warn: (text) => warnings.push(text) });
    await write(store, 'r1', [runStart('r1')]);
    const cells = restateCells(store.client);
    const messages: Space = { name: 'control', holds: 'lines' };
    await cells.putIf(messages, 'r1/odd', textValue('0', '{"kind":"of a later release"}'), 'absent');
    await store.control.post('r1', sendMessage('one'));
    const left = async () => (await cells.list(messages, 'r1/')).map(({ key }) => key);
    expect(await store.control.posted('r1')).toEqual([sendMessage('one')]);
    expect(await left()).toEqual(['r1/odd', 'r1/one']);
    expect(warnings).toEqual([]);
    expect(await store.control.pending('r1')).toEqual([sendMessage('one')]);
    expect(await left()).toEqual(['r1/one']);
    expect(warnings).toEqual([expect.stringMatching(/^A message to run r1 is not understood: its kind is not /)]);
    await store.close();
  });
});
