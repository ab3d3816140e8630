// The client with a server that is not ready. The server is a small one of this test, which answers as a real Restate
// was seen to answer while it starts; test/crash/restate.test.ts starts and kills the real one.

import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { RestateClient } from './client.ts';
import { UNREGISTERED_MS } from './readiness.ts';

interface Answer {
  readonly status: number;
  /** The connection breaks before the end of the body. */
  readonly isBroken?: true;
  readonly source?: 'ingress' | 'invocation';
  readonly body?: string;
}

const UNREGISTERED: Answer = { status: 404, source: 'ingress', body: "service 'cadre-run' not found" };
const STARTING: Answer = { status: 500, body: 'node lookup for partition 1 failed' };
const BROKEN: Answer = { status: 200, body: 'do', isBroken: true };
const OK: Answer = { status: 200, body: 'done' };
const rows = (count: number): Answer => ({ status: 200, body: JSON.stringify({ rows: Array(count).fill({}) }) });

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

/** `answers` are given one by one, and the last of them from then on. One port is ingress and admin API. */
async function clientOf(
  answers: { readonly calls?: readonly Answer[]; readonly queries?: readonly Answer[]; readonly services?: Answer },
  waitMs?: number,
): Promise<{ readonly client: RestateClient; readonly calls: () => number; readonly warnings: readonly string[] }> {
  const given = { calls: 0, queries: 0 };
  const next = (kind: 'calls' | 'queries'): Answer => {
    const list = answers[kind] ?? [OK];
    return list[Math.min(given[kind]++, list.length - 1)] as Answer;
  };
  const server = createServer(({ url = '' }, response) => {
    if (url.startsWith('/services/')) send(response, answers.services ?? { status: 404 });
    else send(response, next(url === '/query' ? 'queries' : 'calls'));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const at = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const address = { shown: 'restate://here', ingress: at, admin: at };
  const warnings: string[] = [];
  const warn = (text: string): void => void warnings.push(text);
  const client = new RestateClient(address, { warn, ...(waitMs !== undefined && { waitMs }) });
  return { client, calls: () => given.calls, warnings };
}

function send(response: ServerResponse, { status, source, body = '', isBroken }: Answer): void {
  response.writeHead(status, {
    'content-length': body.length + (isBroken ? 1 : 0),
    ...(source !== undefined && { 'x-restate-error-source': source }),
  });
  if (isBroken) response.write(body, () => response.destroy());
  else response.end(body);
}

const head = ['cadre-run', 'r1', 'head'] as const;

test.concurrent('a service that the ingress does not know yet is waited for', async () => {
  const { client } = await clientOf({ calls: [UNREGISTERED, UNREGISTERED, UNREGISTERED, OK] });
  expect(await client.text(head)).toBe('done');
});

test.concurrent('a server without any worker is told of after a few seconds, with the way out', async () => {
  const { client } = await clientOf({ calls: [UNREGISTERED] });
  await expect(client.text(head)).rejects.toThrow(
    'No worker has registered at restate://here yet. Start one with: cadre worker <folder> --store restate://here --register',
  );
});

test.concurrent('a service that the admin API knows is waited for as long as an outage is', {
  timeout: 60_000,
}, async () => {
  const late = [...Array<Answer>(8).fill(UNREGISTERED), OK]; // more than UNREGISTERED_MS
  const { client } = await clientOf({ calls: late, services: { status: 200 } });
  const since = Date.now();
  expect(await client.text(head)).toBe('done');
  expect(Date.now() - since).toBeGreaterThan(UNREGISTERED_MS);
});

test.concurrent('a service that has answered this process before is waited for as long as an outage is', {
  timeout: 60_000,
}, async () => {
  const { client } = await clientOf({ calls: [OK, ...Array<Answer>(8).fill(UNREGISTERED), OK] });
  await client.text(head);
  expect(await client.text(head)).toBe('done');
});

test.concurrent('the wait for a service has an end, also if the admin API knows it', async () => {
  const { client } = await clientOf({ calls: [UNREGISTERED], services: { status: 200 } }, 500);
  await expect(client.text(head)).rejects.toThrow('No worker has registered');
});

test.concurrent('an answer of a handler with 404 or 500 is its answer, and is not asked for again', async () => {
  for (const status of [404, 500]) {
    const { client, calls } = await clientOf({ calls: [{ status, source: 'invocation', body: 'not here' }] });
    await expect(client.text(head)).rejects.toThrow(`refused a request (${status}): not here`);
    expect(calls()).toBe(1);
  }
});

test.concurrent('an answer that breaks off in the middle is asked for again', async () => {
  const { client, calls } = await clientOf({ calls: [BROKEN, OK] });
  expect(await client.text(head)).toBe('done');
  expect(calls()).toBe(2);
});

test.concurrent('a query that a server answers while it starts is asked again until the server is ready', async () => {
  const { client } = await clientOf({ queries: [STARTING, rows(0), STARTING, rows(1), rows(12)] });
  expect(await client.query('select')).toHaveLength(12);
});

test.concurrent('a query of a server that is ready is asked once, and what must be there several times', async () => {
  const { client } = await clientOf({ queries: [rows(0), rows(1)] });
  expect(await client.query('select')).toHaveLength(0);
  const again = await clientOf({ queries: [rows(0), rows(0), rows(1)] });
  expect(await again.client.queryAgain('select')).toHaveLength(1);
});

test.concurrent('an outage is told once, however many requests wait for its end', async () => {
  const { client, warnings } = await clientOf({ calls: [OK, ...Array<Answer>(24).fill(STARTING), OK] });
  await client.text(head);
  expect(await Promise.all([client.text(head), client.text(head), client.text(head)])).toEqual([
    'done',
    'done',
    'done',
  ]);
  expect(warnings).toEqual([expect.stringContaining('restate://here does not answer. Waiting for it')]);
});

test.concurrent('a request that may fail does so at once in an outage, and is not told of', async () => {
  const { client, warnings, calls } = await clientOf({ calls: [OK, STARTING] });
  await client.text(head);
  await expect(client.text(head, '', { mayFail: true })).rejects.toThrow('cannot be reached');
  expect(calls()).toBe(2);
  expect(warnings).toEqual([]);
});
