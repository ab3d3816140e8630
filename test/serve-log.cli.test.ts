// The log of cadre serve, of whoever reads it: what it tells, and what becomes of it when nobody can read it.

import { chmodSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, expect, test } from 'vitest';
import { type Folder, folderWith, until } from './support/cli.ts';
import { clientOf, SCRIPTED } from './support/server.ts';

const TOKEN = 'a-token-of-the-tests';
const FILES = {
  'cadre.yaml': SCRIPTED,
  'greeter.md': '---\ndescription: Greets.\n---\nGreet.\n',
  'broken.md': '---\ndescription: Breaks.\n---\nBreak.\n',
  'script.yaml':
    'agents:\n  greeter: [{ answer: Hello, repeat: true }]\n  broken: [{ fault: refused-key, repeat: true }]\n',
};
let folder: Folder | undefined;
const children: { kill(signal: NodeJS.Signals): boolean }[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  folder?.remove();
});

async function serve(...options: readonly string[]) {
  folder = folderWith(FILES);
  const child = folder.start(['serve', '.', '--port', '0', '--token', TOKEN, ...options]);
  children.push(child);
  let [stdout, stderr] = ['', ''];
  child.stdout?.on('data', (text: Buffer) => (stdout += text.toString()));
  child.stderr?.on('data', (text: Buffer) => (stderr += text.toString()));
  const closed = new Promise<number | null>((resolve) => child.once('close', resolve));
  await until(() => stdout.includes('\n'));
  const client = clientOf(stdout.split('/?')[0] ?? '', TOKEN);
  return { child, client, closed, stderr: () => stderr };
}

test('it tells of each run that begins and ends, and of each request that is refused', async () => {
  const { client, stderr, child, closed } = await serve();
  const { run } = (await client.post('/api/runs?wait=30s', { agent: 'greeter', input: 'x' })).body;
  const other = (await client.post('/api/runs?wait=30s', { agent: 'broken', input: 'x' })).body.run;
  await clientOf(client.url, 'another-token-of-nobody')
    .get(`/api/runs/${run}?secret=in-the-query`)
    .catch(() => {});
  await client.get('/api/runs/nothing');
  await until(() => stderr().includes('GET /api/runs/nothing'));
  const log = stderr();
  expect(log).toMatch(new RegExp(`run ${run} begins: greeter\\n`));
  expect(log).toMatch(new RegExp(`run ${run} answered: greeter, after \\d+\\.\\d s\\n`));
  expect(log).toMatch(new RegExp(`run ${other} failed: broken, after \\d+\\.\\d s: model/refused-key\\n`));
  expect(log).toMatch(new RegExp(`refused 401 GET /api/runs/${run}: The token or the log-in is not known`));
  expect(log).toMatch(/refused 404 GET \/api\/runs\/nothing by owner: There is no run "nothing"/);
  expect(log).not.toContain('in-the-query');
  expect(log).not.toContain(TOKEN);
  child.kill('SIGTERM');
  expect(await closed).toBe(0);
});

test('a request that a protocol refuses in an answer of 200 is told of, too', async () => {
  const { client, stderr } = await serve();
  const call = (path: string, method: string, params: object) =>
    client.post(path, { jsonrpc: '2.0', id: 1, method, params }).catch(() => {}); // MCP answers with a stream
  const message = { kind: 'message', role: 'user', messageId: 'm', taskId: 'nothing', parts: [] };
  await call('/a2a/greeter', 'message/send', { message });
  await call('/a2a/greeter', 'message/stream', { message });
  await call('/a2a/greeter', 'tasks/nosuch', {});
  await until(() => stderr().includes('nosuch'));
  expect(stderr().match(/refused -32001 POST \/a2a\/greeter by owner: There is no run "nothing"/g)).toHaveLength(2);
  expect(stderr()).toMatch(/refused -32601 POST \/a2a\/greeter by owner: .*tasks\/nosuch/);
  const mcp = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${TOKEN}` };
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${client.url}/mcp`), { requestInit: { headers } }));
  await mcp.callTool({ name: 'nobody', arguments: {} }).catch(() => {}); // it is refused
  await mcp.callTool({ name: 'agent__greeter', arguments: { text: 'x' } });
  await mcp.close();
  expect(stderr()).toMatch(/refused -32602 POST \/mcp by owner: There is no tool nobody\./);
  expect(stderr()).toMatch(/refused 422 POST \/mcp by owner: The arguments are not what greeter takes: .*input/);
});

test('--quiet leaves runs and refused requests out', async () => {
  const { client, stderr, child, closed } = await serve('--quiet');
  await client.post('/api/runs?wait=30s', { agent: 'greeter', input: 'x' });
  await client.get('/api/runs/nothing');
  child.kill('SIGTERM');
  expect(await closed).toBe(0);
  expect(stderr()).toBe('');
});

test('--forget-logins ends the log-ins of a server that has the address already, and says that it did', async () => {
  const { client, child, closed } = await serve();
  const cookie = ((await clientOf(client.url, '').get(`/?token=${TOKEN}`)).headers.get('set-cookie') ?? '').split(
    ';',
  )[0];
  const page = { cookie: cookie ?? '' };
  expect((await clientOf(client.url, '').get('/api/runs', page)).status).toBe(200);
  const { port } = new URL(client.url);
  const second = await folder?.cadre(['serve', '.', '--port', port, '--token', TOKEN, '--forget-logins', '--quiet']);
  expect(second).toMatchObject({ exit: 2, stdout: '' });
  expect(second?.stderr).toMatch(/^All log-ins of the page have ended, also at servers of this store that run: .*\n/);
  expect(second?.stderr).toContain(`Another program listens on 127.0.0.1:${port}`);
  expect((await clientOf(client.url, '').get('/api/runs', page)).status).toBe(401);
  expect((await client.get('/api/runs')).status).toBe(200);
  child.kill('SIGTERM');
  expect(await closed).toBe(0);
});

test('it goes on when nobody reads its log, and counts the lines that are lost', async () => {
  const { client, child, closed } = await serve();
  child.stderr?.destroy();
  child.stdout?.destroy();
  for (let count = 0; count < 5; count++) {
    const answer = await client.post('/api/runs?wait=30s', { agent: 'greeter', input: 'x' });
    expect(answer.body.outcome.kind).toBe('answered');
  }
  const { body } = await client.get('/healthz');
  expect(body.ok).toBe(true);
  expect(body.lostLogLines).toBeGreaterThanOrEqual(8);
  child.kill('SIGTERM');
  expect(await closed).toBe(0);
});

test('requests that are refused by the hundred cannot flood the log', async () => {
  const { client, stderr } = await serve();
  await Promise.all(Array.from({ length: 200 }, () => client.get('/api/runs/nothing')));
  await until(() => /\d+ more requests were refused/.test(stderr()));
  const lines = stderr().match(/refused 404/g) ?? [];
  const more = [...stderr().matchAll(/(\d+) more requests were refused/g)].reduce((sum, [, n]) => sum + Number(n), 0);
  expect(lines.length + more).toBeLessThanOrEqual(200);
  expect(lines.length).toBeLessThan(200);
});

test('a store that cannot be written is an error that says so, not a defect', async () => {
  folder = folderWith(FILES);
  chmodSync(folder.path, 0o555);
  const { exit, stderr } = await folder.cadre(['serve', '.', '--port', '0'], { asNobody: true });
  chmodSync(folder.path, 0o755);
  expect(exit).toBe(1);
  expect(stderr).toMatch(/cannot be written: .*Permission is missing: give this user write access/s);
  expect(stderr).not.toContain('defect');
});

test('a run without events is no run that can be read, and keeps no server from starting', async () => {
  const { client } = await serve();
  const { path, write } = folder as Folder;
  write('.cadre/runs/20260101-000000-aaaaaaa/events.jsonl', '');
  expect(readdirSync(join(path, '.cadre/runs'))).toContain('20260101-000000-aaaaaaa');
  for (const what of ['', '/events', '/fork?at=0.1', '/agents', '/changes']) {
    const { status, body } = await client.get(`/api/runs/20260101-000000-aaaaaaa${what}`);
    expect([what, status, body.code]).toEqual([what, 404, 'run/unknown']);
    expect(body.detail).toMatch(/has no event: it was never begun/);
  }
});
