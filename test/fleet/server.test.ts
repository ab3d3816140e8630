// Two servers in front of one worker, over a real Postgres: whichever of them is asked, the run is the same.

import { rmSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { loadCadre } from '../../src/definition/load.ts';
import { openWorker } from '../../src/engine/fleet/worker.ts';
import type { RunStore } from '../../src/journal/store.ts';
import { type OpenedServer, openServer } from '../../src/server/open-server.ts';
import { postgresStore } from '../../src/stores/postgres/postgres-store.ts';
import { freshStore } from '../support/postgres.ts';
import { clientOf, folderOf, SCRIPTED, type ServerClient } from '../support/server.ts';

const TOLD = `${'word '.repeat(60)}end`;
const folder = folderOf({
  'cadre.yaml': SCRIPTED,
  'greeter.md': '---\ndescription: Greets.\n---\nGreet.\n',
  'payer.md': '---\ndescription: Pays.\ntools: [files]\napprove: [list_files]\n---\nPay.\n',
  'slow.md': '---\ndescription: Hangs.\n---\nHang.\n',
  'script.yaml': [
    'agents:',
    '  greeter: [{ answer: "Hello, {{input}}.", repeat: true }]',
    '  payer:',
    '    - { call: { list_files: {} } }',
    '    - { when: { last: "/person says (.+)/" }, answer: "Heard {{match.1}}." }',
    `    - { chunk: 20ms, answer: "${TOLD}" }`,
    '  slow: [{ fault: hang, answer: never }]',
  ].join('\n'),
});
const stores: RunStore[] = [];
const servers: OpenedServer[] = [];
let [one, other]: ServerClient[] = [];
let worker: Awaited<ReturnType<typeof openWorker>>;

beforeAll(async () => {
  const address = await freshStore();
  const opened = (): RunStore => {
    const store = postgresStore(address, { warn() {} });
    stores.push(store);
    return store;
  };
  const served = async (): Promise<ServerClient> => {
    const server = await openServer(folder.path, {
      store: opened(),
      work: 'workers',
      token: 'a-token-of-the-test',
      port: 0,
      version: '0.0.0',
      log() {},
    });
    servers.push(server);
    return clientOf(server.url, server.token ?? '');
  };
  [one, other] = [await served(), await served()];
  const cadre = await loadCadre(folder.path);
  worker = await openWorker({ store: opened(), cadre, name: 'w1', labels: [], most: 10, anyConfig: false, log() {} });
});
afterAll(async () => {
  for (const server of servers) await server.close();
  await worker.drain(0);
  for (const store of stores) await store.close?.();
  rmSync(folder.path, { recursive: true, force: true });
});

const started = async (agent: string, input = 'Ada'): Promise<string> =>
  (await (one as ServerClient).post('/api/runs', { agent, input })).body.run;

async function waitingOp(run: string): Promise<string> {
  const events = await (other as ServerClient).stream(`/api/runs/${run}/events`);
  for (let message = await events.nextOf('journal'); message !== undefined; message = await events.nextOf('journal')) {
    const { event } = message.data;
    if (event.type !== 'op-start' || event.op.kind !== 'approval') continue;
    events.close();
    return event.path;
  }
  throw new Error('it ended');
}

test('a run that one server starts is worked on by the worker, and its outcome is known to both', async () => {
  const waited = await one?.post('/api/runs?wait=30s', { agent: 'greeter', input: 'Ada' });
  expect(waited?.body).toMatchObject({ state: 'ended', outcome: { text: 'Hello, Ada.' } });
  const row = (await other?.get(`/api/runs/${waited?.body.run}/summary`))?.body;
  expect(row).toMatchObject({ state: 'ended', outcome: 'answered', prefix: '', driver: 'none' });
});

test('the other server shows who has the run, sends it a message, approves it and streams what it writes', async () => {
  const run = await started('payer');
  const op = await waitingOp(run);
  const listed = (await other?.get('/api/runs?waiting=true'))?.body.items;
  expect(listed).toMatchObject([{ run, state: 'running', driver: 'other', worker: 'w1' }]);
  expect((await one?.get('/api/approvals'))?.body.waiting).toMatchObject([{ run }]);
  const events = await other?.stream(`/api/runs/${run}/events`);
  await events?.nextOf('state');
  expect((await other?.post(`/api/runs/${run}/ops/${op}/verdict`, { approved: true }))?.status).toBe(200);
  const all = (await events?.rest()) ?? [];
  const written = all.filter(({ event, data }) => event === 'live' && data.type === 'text' && data.whole !== true);
  const text = written.map(({ data }) => data.text).join('');
  expect(text.length).toBeGreaterThan(0);
  expect(TOLD).toContain(text);
  expect(all.filter(({ event }) => event === 'journal').at(-1)?.data.event.type).toBe('run-end');
});

test('a message from one server reaches the run before its next turn', async () => {
  const run = await started('payer');
  const op = await waitingOp(run);
  expect((await one?.post(`/api/runs/${run}/messages`, { text: 'person says hurry' }))?.body.accepted).toBe('taken');
  await other?.post(`/api/runs/${run}/ops/${op}/verdict`, { approved: true });
  const shown = await one?.stream(`/api/runs/${run}/events`);
  await shown?.rest();
  expect((await other?.get(`/api/runs/${run}`))?.body.outcome).toMatchObject({ text: 'Heard hurry.' });
});

test('a run is cancelled by a server that did not start it', async () => {
  const run = await started('slow');
  const events = await other?.stream(`/api/runs/${run}/events`);
  let message = await events?.nextOf('journal');
  while (message !== undefined && message.data.event.type !== 'op-start') message = await events?.nextOf('journal');
  expect((await other?.post(`/api/runs/${run}/cancel`, { reason: 'enough' }))?.body.accepted).toBe('taken');
  await events?.rest();
  expect((await one?.get(`/api/runs/${run}/summary`))?.body.outcome).toBe('cancelled');
});

test('a fork goes on at a worker', async () => {
  const { run } = (await one?.post('/api/runs?wait=30s', { agent: 'greeter', input: 'Bob' }))?.body ?? {};
  const report = (await one?.get(`/api/runs/${run}`))?.body;
  const forked = await other?.post(`/api/runs/${run}/fork`, { at: report.ledger[0].path });
  const events = await one?.stream(`/api/runs/${forked?.body.run}/events`);
  await events?.rest();
  const summary = (await one?.get(`/api/runs/${forked?.body.run}/summary`))?.body;
  expect(summary).toMatchObject({ state: 'ended', outcome: 'answered' });
});

test('a run that no worker has says why, in the list, alone and in its stream, and is cancelled without one', async () => {
  await worker.drain(0);
  await stores.pop()?.close?.(); // of the worker, which was opened last
  const run = await started('greeter');
  const queuedWhy = 'no worker runs on this store';
  expect((await other?.get('/api/runs?limit=1'))?.body.items).toMatchObject([{ run, queued: true, queuedWhy }]);
  expect((await other?.get(`/api/runs/${run}/summary`))?.body).toMatchObject({ queued: true, queuedWhy });
  const events = await one?.stream(`/api/runs/${run}/events`);
  expect((await events?.nextOf('state'))?.data).toMatchObject({ queued: true, queuedWhy });
  expect((await one?.post(`/api/runs/${run}/stop`, {}))?.body.accepted).toBe('waits'); // for a worker, who asks it for its answer
  expect((await other?.post(`/api/runs/${run}/cancel`, {}))?.body.accepted).toBe('taken');
  await events?.rest();
  expect((await one?.get(`/api/runs/${run}/summary`))?.body).toMatchObject({ state: 'ended', outcome: 'cancelled' });
});
