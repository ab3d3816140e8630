// A server in front of workers, over a real Postgres: the page says which worker has which run.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { ApprovalList } from '../../src/server/protocol.ts';
import { kill, killServer, startServerProcess, startWorkerProcess } from '../crash/support/fleet.ts';
import { freshStore } from '../support/postgres.ts';
import { armed, newPage } from './support/page.ts';

const folder = mkdtempSync(join(tmpdir(), 'cadre-page-fleet-'));
const files = {
  'cadre.yaml': 'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}\ndefaults: {models: [demo/any]}\n',
  'demo.script.yaml': 'agents:\n  clerk: [{call: {list_files: {}}}, {answer: "It was allowed."}]\n',
  'clerk.md': '---\ndescription: Asks.\ntools: [files]\napprove: [list_files]\n---\nAsk.\n',
};
for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text);
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const started = async (url: string): Promise<string> => {
  const answer = await fetch(`${url}/api/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ agent: 'clerk', input: 'Look at the files.' }),
  });
  return ((await answer.json()) as { readonly run: string }).run;
};
/** The server is killed in the end. */
const expected = /net::ERR_/;

test('a run waits for a worker, is at a worker, and is answered from the page, and each is seen', async () => {
  const store = await freshStore();
  const server = await startServerProcess(folder, store);
  const run = await started(server.url);
  const [list, page] = [await newPage({ expected }), await newPage({ expected })];
  await list.goto(`${server.url}/`);
  await page.goto(`${server.url}/runs/${run}`);
  await list.locator('.runs-row', { hasText: 'no worker runs on this store' }).waitFor();
  await page.locator('.run-head', { hasText: 'no worker runs on this store' }).waitFor();
  await expect.poll(() => page.locator('.run-head .chip').innerText()).toContain('queued');
  const worker = startWorkerProcess({ folder, store, name: 'north' });
  await page.locator('.run-head', { hasText: 'worker north works on it' }).waitFor();
  await list.locator('.runs-peek', { hasText: 'north' }).waitFor();
  await page.keyboard.press('p');
  await armed(page);
  await page.keyboard.press('Control+Enter');
  await page.locator('.run-head .chip', { hasText: 'answered' }).waitFor();
  await kill(worker);
  await killServer(server);
});

test('a verdict for a run that no worker has is listed as decided, and taken by the next worker', async () => {
  const store = await freshStore();
  const server = await startServerProcess(folder, store);
  const first = startWorkerProcess({ folder, store, name: 'north' });
  const run = await started(server.url);
  const [page, list] = [await newPage({ expected }), await newPage({ expected })];
  await page.goto(`${server.url}/approvals`);
  await page.getByRole('button', { name: /^Next/ }).click();
  await page.getByRole('heading', { name: /clerk asks you: list_files/ }).waitFor();
  await kill(first);
  await list.goto(`${server.url}/`);
  await list.locator('.runs-row', { hasText: 'no worker runs on this store' }).waitFor();
  await armed(page);
  await page.keyboard.press('Control+Enter');
  const decided = page.getByRole('region', { name: 'Decided' });
  await decided.getByText('no process works on the run, which takes it first when it goes on').waitFor();
  const { untaken, waiting } = (await (await fetch(`${server.url}/api/approvals`)).json()) as ApprovalList;
  expect(untaken).toMatchObject([{ run, verdict: { approved: true } }]);
  expect(waiting).toEqual([]);
  const second = startWorkerProcess({ folder, store, name: 'south' });
  await decided.getByText('done; run answered').waitFor();
  await kill(second);
  await killServer(server);
});
