// A server in front of workers, over a real Postgres: the page says which worker has which run.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { kill, killServer, startServerProcess, startWorkerProcess } from '../crash/support/fleet.ts';
import { freshStore } from '../support/postgres.ts';
import { newPage } from './support/page.ts';

const folder = mkdtempSync(join(tmpdir(), 'cadre-page-fleet-'));
const files = {
  'cadre.yaml': 'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}\ndefaults: {models: [demo/any]}\n',
  'demo.script.yaml': 'agents:\n  clerk: [{call: {list_files: {}}}, {answer: "It was allowed."}]\n',
  'clerk.md': '---\ndescription: Asks.\ntools: [files]\napprove: [list_files]\n---\nAsk.\n',
};
for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('a run waits for a worker, is at a worker, and is answered from the page, and each is seen', async () => {
  const store = await freshStore();
  const server = await startServerProcess(folder, store);
  const answer = await fetch(`${server.url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'clerk', input: 'Look at the files.' }),
  });
  const { run } = (await answer.json()) as { readonly run: string };
  const expected = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED/; // the server is killed in the end
  const [list, page] = [await newPage({ expected }), await newPage({ expected })];
  await list.goto(`${server.url}/`);
  await page.goto(`${server.url}/runs/${run}`);
  await list.locator('.runs-row', { hasText: 'waits for a worker' }).waitFor();
  await page.locator('.run-head', { hasText: 'waits for a worker' }).waitFor();
  expect(await page.locator('.run-head .chip').innerText()).toContain('queued');
  const worker = startWorkerProcess({ folder, store, name: 'north' });
  await page.locator('.run-head', { hasText: 'worker north works on it' }).waitFor();
  await list.locator('.runs-peek', { hasText: 'north' }).waitFor();
  await page.keyboard.press('p');
  await page.keyboard.press('Control+Enter');
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
  await kill(worker);
  await killServer(server);
});
