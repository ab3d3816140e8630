// Log-ins of the page, in the hands of somebody who has read the cookie: another port of the machine gets it, too.

import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { forgetLogins } from '../../src/server/auth/login-key.ts';
import { openServer } from '../../src/server/open-server.ts';
import { fileStore } from '../../src/stores/file/file-store.ts';
import { clientOf, SCRIPTED, type ServedFolder, type ServerClient, servedFolder } from '../support/server.ts';

const CI = 'ci-token-0123456789abcdef';
const FILES = {
  'cadre.yaml': `${SCRIPTED}server: { tokens: { ci: { token: ${CI}, agents: [greeter], may: [see, run] } } }\n`,
  'greeter.md': '---\ndescription: Greets.\n---\nGreet.\n',
  'script.yaml': 'agents:\n  greeter: [{ answer: "Hello {{input}}", repeat: true }]\n',
};
const opened: { remove(): Promise<void> }[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const one of opened.splice(0)) await one.remove();
});

async function start(): Promise<ServedFolder> {
  const served = await servedFolder(FILES);
  opened.push(served);
  return served;
}

/** `name=value` of the cookie that a token gets. */
async function login({ url }: { readonly url: string }, token: string): Promise<string> {
  const answer = await clientOf(url, '').get(`/?token=${token}`);
  expect(answer.status).toBe(303);
  return (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? '';
}
const valueOf = (cookie: string): string => cookie.slice(cookie.indexOf('=') + 1);
const asPage = ({ url }: { readonly url: string }): ServerClient => clientOf(url, '');
const keyFile = ({ path }: ServedFolder): string => join(path, '.cadre', 'login-key');

/** Another server on the same folder and the same store. */
async function startBeside({ path }: ServedFolder, port = 0) {
  const dir = join(path, '.cadre');
  const server = await openServer(path, { store: fileStore(dir), dir, port, version: '0.0.0', log() {} });
  opened.unshift({
    async remove() {
      void server.close();
      await server.close();
    },
  });
  return server;
}

test('a log-in is good for the page and its API, and is no token', async () => {
  const served = await start();
  const cookie = await login(served, served.token);
  const page = asPage(served);
  const origin = served.url;
  for (const path of ['/', '/runs/x', '/api/runs', '/api/cadre', '/openapi.json'])
    expect([path, (await page.get(path, { cookie })).status]).toEqual([path, 200]);
  const started = await page.post('/api/runs', { agent: 'greeter', input: 'x' }, { cookie, origin });
  expect(started.status).toBe(202);
  for (const headers of [{ authorization: `Bearer ${valueOf(cookie)}` }, { 'x-api-key': valueOf(cookie) }])
    for (const path of ['/', '/api/runs', '/v1/models', '/mcp'])
      expect([path, (await page.get(path, headers)).status]).toEqual([path, 401]);
  expect((await page.get(`/?token=${valueOf(cookie)}`)).status).toBe(401);
});

test('no protocol beside the page takes a log-in', async () => {
  const served = await start();
  const cookie = await login(served, served.token);
  const page = asPage(served);
  for (const path of ['/v1/models', '/mcp', '/a2a/greeter/.well-known/agent-card.json', '/.well-known/agent-card.json'])
    expect([path, (await page.get(path, { cookie })).status]).toEqual([path, 401]);
  const origin = served.url;
  for (const path of ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/mcp', '/a2a/greeter'])
    expect([path, (await page.post(path, {}, { cookie, origin })).status]).toEqual([path, 401]);
  expect((await page.get(`/v1/models?token=${served.token}`)).headers.get('set-cookie')).toBeNull();
});

test('a request that changes something and does not say which page sent it is not the page', async () => {
  const served = await start();
  const cookie = await login(served, served.token);
  expect((await asPage(served).post('/api/runs', { agent: 'greeter', input: 'x' }, { cookie })).status).toBe(401);
});

test('a log-in of one server is of no use at another one of the same store, and outlives a restart', async () => {
  const served = await start();
  const value = valueOf(await login(served, served.token));
  const other = await startBeside(served);
  for (const { port } of [new URL(served.url), new URL(other.url)]) {
    const cookie = `cadre-${port}=${value}`;
    const status = port === new URL(served.url).port ? 200 : 401;
    const at = status === 200 ? served.url : other.url;
    expect((await clientOf(at, '').get('/api/runs', { cookie })).status).toBe(status);
  }
  const { port } = new URL(served.url);
  await served.close();
  const again = await startBeside(served, Number(port));
  await clientOf(again.url, '')
    .get('/healthz')
    .catch(() => {}); // the client learns that its connection is gone
  expect((await clientOf(again.url, '').get('/api/runs', { cookie: `cadre-${port}=${value}` })).status).toBe(200);
});

test('a log-in may do what its token may today, and ends with it', async () => {
  const served = await start();
  const cookie = await login(served, CI);
  const page = asPage(served);
  expect((await page.get('/api/runs', { cookie })).status).toBe(200);
  expect((await page.get('/api/cadre', { cookie })).body.you.name).toBe('ci');
  const stream = await page.stream('/api/stream', { cookie });
  expect((await stream.next())?.event).toBe('now');
  served.write('cadre.yaml', FILES['cadre.yaml'].replace(CI, 'another-token-0123456789'));
  expect((await stream.rest()).at(-1)).toMatchObject({ event: 'refused', data: { code: 'request/unauthorized' } });
  expect((await page.get('/api/runs', { cookie })).status).toBe(401);
});

test('log-ins that are forgotten end at once, with their streams, and a new one is good again', async () => {
  const served = await start();
  const cookie = await login(served, served.token);
  const stream = await asPage(served).stream('/api/stream', { cookie });
  expect((await stream.next())?.event).toBe('now');
  forgetLogins(join(served.path, '.cadre'));
  expect((await asPage(served).get('/api/runs', { cookie })).status).toBe(401);
  expect((await stream.rest()).at(-1)?.event).toBe('refused');
  const fresh = await login(served, served.token);
  expect((await asPage(served).get('/api/runs', { cookie: fresh })).status).toBe(200);
  expect((await asPage(served).get('/api/runs', { cookie })).status).toBe(401);
  expect((await served.get('/api/runs')).status).toBe(200); // the token is not one of them
});

test('a log-in ends after a month without use, and one that is used is made again', async () => {
  const day = 86_400_000;
  const begun = Date.now();
  const now = vi.spyOn(Date, 'now').mockReturnValue(begun);
  const served = await start();
  const cookie = await login(served, served.token);
  const page = asPage(served);
  now.mockReturnValue(begun + 2 * day);
  const renewed = ((await page.get('/', { cookie })).headers.get('set-cookie') ?? '').split(';')[0] ?? '';
  expect(renewed).not.toBe('');
  now.mockReturnValue(begun + 31 * day);
  expect((await page.get('/api/runs', { cookie })).status).toBe(401);
  expect((await page.get('/api/runs', { cookie: renewed })).status).toBe(200);
});

test.each([
  ['another name', (value: string) => value.replace(/^owner/, 'ci')],
  ['a later time', (value: string) => value.replace(/^(owner)\.\w+/, '$1.zzzzzzzzz')],
  ['another signature', (value: string) => `${value.slice(0, -1)}${value.endsWith('A') ? 'E' : 'A'}`],
  ['a part missing', (value: string) => value.split('.').slice(0, 3).join('.')],
  ['nothing', () => ''],
  ['a prototype', () => `__proto__.a.${'a'.repeat(16)}.${'a'.repeat(43)}`],
])('a log-in with %s is none', async (_, forge) => {
  const served = await start();
  const cookie = await login(served, served.token);
  const [name = ''] = cookie.split('=');
  const forged = `${name}=${forge(valueOf(cookie))}`;
  expect((await asPage(served).get('/api/runs', { cookie: forged })).status).toBe(401);
});

test('the key is made with the first log-in, for its owner alone, and is not followed through a link', async () => {
  const served = await start();
  expect(existsSync(keyFile(served))).toBe(false);
  const cookie = await login(served, served.token);
  expect(statSync(keyFile(served)).mode & 0o777).toBe(0o600);
  expect(readFileSync(keyFile(served), 'utf8').trim()).not.toBe(served.token);
  expect(valueOf(cookie)).not.toContain(served.token);
  rmSync(keyFile(served));
  writeFileSync(keyFile(served), 'short\n');
  expect((await clientOf(served.url, '').get(`/?token=${served.token}`)).status).toBe(422);
});
