// A server on a machine where web pages, other users and careless clients try their luck.

import { readFileSync, statSync, symlinkSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openServer } from '../../src/server/open-server.ts';
import { withoutPaths } from '../../src/server/problem.ts';
import { memoryStore } from '../../src/stores/memory.ts';
import { clientOf, folderOf, gateTool, SCRIPTED, type ServedFolder, servedFolder } from '../support/server.ts';

const SECRET = 'sk-live-0123456789abcdefghij';
const CI = 'ci-token-0123456789abcdef';
const LOOKER = 'looker-token-0123456789abcdef';
const STARTER = 'starter-token-0123456789abcdef';
const gate = gateTool();
let served: ServedFolder;

beforeAll(async () => {
  served = await servedFolder(
    {
      'cadre.yaml': `${SCRIPTED}
restTools:
  bank: { description: "A bank.", method: GET, url: "https://example.com/", input: { schema: { type: object } }, headers: { Authorization: "Bearer \${BANK_KEY}" } }
server:
  maxBodyBytes: 20000
  maxRuns: 2
  maxWaiting: 1
  tokens:
    ci: { token: "${CI}", agents: [greeter], may: [see, run] }
    looker: { token: "\${LOOKER}", may: [see] }
    starter: { token: "${STARTER}", may: [run] }
`,
      '.env': `LOOKER=${LOOKER}\nBANK_KEY=${SECRET}\n`,
      'greeter.md': '---\ndescription: Greets.\n---\nGreet.\n',
      'keeper.md': '---\ndescription: Keeps.\ntools: [gate]\n---\nKeep.\n',
      'script.yaml':
        'agents:\n  greeter: [{ answer: "Hello {{input}}", repeat: true }]\n  keeper: [{ call: gate }, { answer: kept }]\n',
    },
    { tools: [gate.tool] },
  );
});
afterAll(async () => {
  gate.open();
  await served.remove();
});

/** A request as it stands on the wire, with any `Host`. */
function raw(
  path: string,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
  body = '',
): Promise<{ status: number; text: string; allow: string | undefined; location: string | undefined }> {
  const { port } = new URL(served.url);
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port, path, method, headers, setHost: false }, (answer) => {
      let text = '';
      answer.on('data', (chunk) => (text += String(chunk)));
      const { allow, location } = answer.headers;
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, allow, location }));
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
const host = (): string => new URL(served.url).host;
const auth = (token = served.token): { readonly authorization: string } => ({ authorization: `Bearer ${token}` });

test('without a token nothing is told, also not what there is', async () => {
  const stranger = clientOf(served.url, '');
  for (const path of [
    '/api/cadre',
    '/api/runs',
    '/api/stream',
    '/openapi.json',
    '/',
    '/index.html',
    '/api/nothing',
    '/v1/models',
    '/mcp',
  ]) {
    const answer = await stranger.get(path);
    expect([path, answer.status, answer.headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer']);
    expect(answer.text).not.toContain('greeter');
  }
  for (const wrong of [
    'Bearer ',
    'Bearer x',
    `Basic ${btoa(`u:${served.token}`)}`,
    `Bearer ${served.token}x`,
    `Bearer ${served.token.slice(0, -1)}`,
  ]) {
    expect((await stranger.get('/api/cadre', { authorization: wrong })).status).toBe(401);
  }
  expect((await stranger.get(`/api/cadre?token=${served.token}`)).status).toBe(401);
});

test('the token is kept for its owner alone, and is long', () => {
  const file = join(served.path, '.cadre/server-token');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8').trim()).toBe(served.token);
  expect(served.token.length).toBeGreaterThanOrEqual(32);
});

test('a token file that is a link is not followed', async () => {
  const folder = folderOf({ 'a.md': '---\ndescription: A.\n---\n' });
  const other = folderOf({ secret: 'x'.repeat(40) });
  const dir = join(folder.path, '.cadre');
  folder.write('.cadre/keep', '');
  symlinkSync(join(other.path, 'secret'), join(dir, 'server-token'));
  await expect(
    openServer(folder.path, { store: memoryStore(), dir, port: 0, version: '0', log() {} }),
  ).rejects.toThrow();
});

test('a page under another name cannot reach it (DNS rebinding)', async () => {
  for (const name of ['evil.example', 'evil.example:80', '127.0.0.1.evil.example', 'localhost.evil.example', '']) {
    expect((await raw('/api/cadre', { ...auth(), host: name })).status).toBeGreaterThanOrEqual(400);
    expect((await raw('/api/cadre', { ...auth(), host: name })).text).not.toContain('greeter');
  }
  for (const name of [host(), 'localhost', '[::1]:80', '10.1.2.3']) {
    expect([name, (await raw('/api/cadre', { ...auth(), host: name })).status]).toEqual([name, 200]);
  }
});

test('a page of another origin can neither send nor read, with the cookie or without (CSRF)', async () => {
  const login = await served.get(`/?token=${served.token}`);
  expect(login.status).toBe(303);
  expect(login.headers.get('location')).toBe('/');
  const set = login.headers.get('set-cookie') ?? '';
  expect(set).toMatch(/HttpOnly/);
  expect(set).toMatch(/SameSite=Strict/);
  expect(set).not.toContain(served.token);
  const cookie = set.split(';')[0] ?? '';
  const body = JSON.stringify({ agent: 'greeter', input: 'x' });
  const json = { 'content-type': 'application/json', cookie, host: host() };
  for (const origin of [
    'https://evil.example',
    'http://127.0.0.1:1',
    'null',
    `http://${host()}.evil.example`,
    'file://',
  ]) {
    expect([origin, (await raw('/api/runs', { ...json, origin }, 'POST', body)).status]).toEqual([origin, 403]);
    expect((await raw('/api/runs', { cookie, host: host(), origin })).status).toBe(403);
  }
  for (const site of ['cross-site', 'same-site']) {
    expect(
      (await raw('/api/runs', { cookie, host: host(), 'sec-fetch-site': site, 'sec-fetch-mode': 'no-cors' })).status,
    ).toBe(403);
    expect(
      (await raw('/api/cadre', { cookie, host: host(), 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' })).status,
    ).toBe(403);
  }
  expect(
    (await raw('/api/runs', { ...json, origin: `http://${host()}`, 'sec-fetch-site': 'same-origin' }, 'POST', body))
      .status,
  ).toBe(202);
  expect((await raw('/api/runs', { cookie, host: host() })).status).toBe(200);
  expect((await raw('/api/runs', { cookie: 'cadre-1=x', host: host() })).status).toBe(401);
});

test('no answer may be framed, sniffed, kept, or run anything of another site', async () => {
  for (const path of ['/api/cadre', '/', '/api/nothing', '/healthz']) {
    const { headers } = await served.get(path);
    expect(headers.get('content-security-policy')).toContain("default-src 'self'");
    expect(headers.get('x-content-type-options')).toBe('nosniff');
    expect(headers.get('x-frame-options')).toBe('DENY');
    expect(headers.get('referrer-policy')).toBe('no-referrer');
    expect(headers.get('access-control-allow-origin')).toBeNull();
  }
  expect((await served.get('/api/cadre')).headers.get('cache-control')).toBe('no-store');
});

test('a token does only what it may, with the agents that it may use', async () => {
  const ci = clientOf(served.url, CI);
  const looker = clientOf(served.url, LOOKER);
  const mine = (await ci.post('/api/runs?wait=30s', { agent: 'greeter', input: 'mine' })).body;
  expect(mine.outcome.text).toBe('Hello mine');
  expect((await ci.post('/api/runs', { agent: 'keeper', input: 'x' })).status).toBe(403);
  const hidden = (await served.post('/api/runs', { agent: 'keeper', input: 'hidden' })).body.run;
  await gate.reached();
  for (const path of ['', '/summary', '/events', '/events/0', '/agents', '/fork?at=0.1']) {
    const answer = await ci.get(`/api/runs/${hidden}${path}`);
    expect([path, answer.body.code]).toEqual([path, 'run/unknown']);
  }
  for (const path of ['cancel', 'stop'])
    expect((await ci.post(`/api/runs/${hidden}/${path}`)).body.code).toBe('run/unknown');
  expect((await ci.get(`/api/diff?a=${mine.run}&b=${hidden}`)).body.code).toBe('run/unknown');
  expect(
    (await ci.get('/api/runs?limit=500')).body.items.every(({ agent }: { agent: string }) => agent === 'greeter'),
  ).toBe(true);
  const seen = (await ci.get('/api/cadre')).body;
  expect(seen.agents.map(({ name }: { name: string }) => name)).toEqual(['greeter']);
  expect(seen.graph.nodes).toHaveLength(1);
  expect((await ci.get('/api/agents/keeper')).status).toBe(403);
  expect((await ci.post(`/api/runs/${mine.run}/resume`)).body.code).toBe('request/forbidden');
  expect((await ci.post(`/api/runs/${mine.run}/ops/0.1/verdict`, { approved: true })).body.code).toBe(
    'request/forbidden',
  );
  const start = (await served.get(`/api/runs/${hidden}/events/0`)).body;
  const digest = Object.values(start.texts as Record<string, string>)[0];
  expect((await ci.get(`/api/blobs/${digest}`)).status).toBe(403);
  expect((await ci.get(`/api/blobs/${digest}?run=${hidden}`)).body.code).toBe('run/unknown');
  expect((await looker.get(`/api/runs/${mine.run}`)).status).toBe(200);
  expect((await looker.post('/api/runs', { agent: 'greeter', input: 'x' })).body.code).toBe('request/forbidden');
  expect((await looker.get('/api/cadre')).body.you).toEqual({ name: 'looker', may: ['see'] });
  await served.post(`/api/runs/${hidden}/cancel`);
});

test('a token for one agent learns nothing of the others from what it is refused', async () => {
  const ci = clientOf(served.url, CI);
  const mine = (await ci.post('/api/runs?wait=30s', { agent: 'greeter', input: 'mine' })).body.run;
  const theirs = { agent: 'keeper', input: 'x', label: 'theirs', thread: 'new' };
  const { run, thread } = (await served.post('/api/runs', theirs)).body;
  const chat = { model: 'greeter', messages: [{ role: 'user', content: 'x' }] };
  const refused = [
    await ci.get('/api/agents/zz'),
    await ci.post('/api/agents/zz/input', { input: 'x' }),
    await ci.post('/api/runs', { agent: 'zz', input: 'x' }),
    await ci.post('/api/runs', { agent: 'greeter', input: 'x', stopAfter: 'zz' }),
    await ci.post('/api/runs', { agent: 'greeter', input: 'x', thread: 'zz' }),
    await ci.get('/api/runs/zz'),
    await ci.get('/api/runs/theirs'),
    await ci.get(`/api/runs/${run.slice(0, -1)}`),
    await ci.get('/api/threads/zz'),
    await ci.get('/api/diff?a=zz&b=zz'),
    await ci.post('/v1/chat/completions', { ...chat, model: 'zz' }),
    await ci.post('/v1/chat/completions', chat, { 'x-cadre-thread': thread }),
    await ci.post('/v1/responses', { model: 'greeter', input: 'x', previous_response_id: `resp_${run}` }),
  ];
  for (const [index, { status, text }] of refused.entries()) {
    expect([index, status]).toEqual([index, expect.toSatisfy((one: number) => one === 403 || one === 404)]);
    expect(text).not.toContain('keeper');
    if (index < 10) for (const name of [run, thread]) expect(text).not.toContain(name);
  }
  expect((await ci.get(`/api/threads/${thread}`)).body.code).toBe('thread/unknown');
  expect((await ci.get('/api/runs/last/summary')).body.run).toBe(mine);
  await served.post(`/api/runs/${run}/cancel`);
});

test('a token that may not see runs cannot have an agent tell what others said to it', async () => {
  const said = await served.post('/api/runs?wait=30s', { agent: 'greeter', input: 'the code is 4711', thread: 'new' });
  const { thread } = said.body;
  const starter = clientOf(served.url, STARTER);
  for (const named of [thread, thread.slice(0, 12), 'last', 'no-such-thread']) {
    for (const history of [undefined, [{ role: 'user', text: 'What was the code?' }]]) {
      const asked = { agent: 'greeter', input: 'and?', thread: named, ...(history && { history }) };
      const answer = await starter.post('/api/runs?wait=30s', asked);
      expect([named, answer.status, answer.body.code]).toEqual([named, 403, 'request/forbidden']);
      expect(answer.text).not.toContain(thread);
    }
  }
  const own = await starter.post('/api/runs?wait=30s', { agent: 'greeter', input: 'mine', thread: 'new' });
  expect([own.status, own.body.outcome.kind]).toEqual([200, 'answered']);
});

test('a key of one token is not that of another', async () => {
  const ci = clientOf(served.url, CI);
  const asked = { agent: 'greeter', input: 'same' };
  const one = (await ci.post('/api/runs', asked, { 'idempotency-key': 'k' })).body.run;
  const other = (await served.post('/api/runs', asked, { 'idempotency-key': 'k' })).body.run;
  expect(one).not.toBe(other);
});

test('too large, too deep and too many are refused before they cost anything', async () => {
  const large = await served.post('/api/runs', { agent: 'greeter', input: 'x'.repeat(30_000) });
  expect([large.status, large.body.code]).toEqual([413, 'request/too-large']);
  const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`;
  expect(
    (
      await served.ask('POST', '/api/runs', `{"agent":"greeter","input":${deep}}`, {
        'content-type': 'application/json',
      })
    ).status,
  ).toBe(400);
  expect((await raw('/api/cadre', { ...auth(), host: host(), 'x-long': 'x'.repeat(20_000) })).status).toBe(431);
  const busy = [];
  for (let number = 0; number < 3; number++)
    busy.push((await served.post('/api/runs', { agent: 'keeper', input: 'busy' })).body);
  expect(busy.map(({ state }) => state)).toEqual(['running', 'running', 'waiting']);
  const refused = await served.post('/api/runs', { agent: 'greeter', input: 'one more' });
  expect([refused.status, refused.body.code]).toEqual([429, 'server/busy']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  await served.post(`/api/runs/${busy[2].run}/cancel`);
  for (const { run } of busy.slice(0, 2)) await served.post(`/api/runs/${run}/cancel`);
  for (const { run } of busy) await served.server.context.engine.outcome(run);
  expect((await served.post('/api/runs?wait=30s', { agent: 'greeter', input: 'now' })).body.state).toBe('ended');
});

test('a chunked body without an end of its own is cut at the limit', async () => {
  const { port } = new URL(served.url);
  const answer = await new Promise<string>((resolve, reject) => {
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(
        `POST /api/runs HTTP/1.1\r\nhost: ${host()}\r\nauthorization: Bearer ${served.token}\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n`,
      );
      const chunk = 'x'.repeat(8000);
      for (let count = 0; count < 8; count++) socket.write(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    });
    let text = '';
    socket.on('data', (data) => {
      text += String(data);
      if (text.includes('\r\n\r\n')) {
        socket.destroy();
        resolve(text);
      }
    });
    socket.on('error', reject);
  });
  expect(answer).toMatch(/^HTTP\/1\.1 413/);
});

test('after a body that was too large, the next request on the same connection is answered', async () => {
  const { port } = new URL(served.url);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const headers = { ...auth(), host: host(), 'content-type': 'application/json' };
  const asked = (method: string, path: string, body: string) =>
    new Promise<readonly [number | undefined, boolean]>((resolve, reject) => {
      const sent = request({ host: '127.0.0.1', port, method, path, agent, headers }, (answer) => {
        answer.resume().on('end', () => resolve([answer.statusCode, sent.reusedSocket]));
      });
      sent.on('error', reject);
      if (body !== '') sent.write(body); // in chunks, as it is not said how long it is
      sent.end();
    });
  expect(await asked('GET', '/api/runs', '')).toEqual([200, false]);
  for (let time = 0; time < 4; time++) {
    expect(await asked('POST', '/api/runs', 'x'.repeat(1_000_000))).toEqual([413, true]);
    expect(await asked('GET', '/api/runs', '')).toEqual([200, true]);
  }
  agent.destroy();
});

test('the address that opens the page does not lead to another server', async () => {
  for (const path of ['//evil.example/x', '///evil.example/x']) {
    const answer = await raw(`${path}?token=${served.token}&a=1`, { host: host() });
    expect([path, answer.status, answer.location]).toEqual([path, 303, '/evil.example/x?a=1']);
  }
});

test('a problem tells neither paths nor secrets', async () => {
  const told = [
    await served.get('/api/runs/../../../../etc/passwd'),
    await served.get('/api/agents/..%2f..%2fetc%2fpasswd'),
    await served.post('/api/runs', { agent: `${SECRET}`, input: 'x' }),
    await served.get(`/api/runs/${encodeURIComponent(served.path)}`),
  ];
  for (const { text } of told) {
    expect(text).not.toContain(served.path);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('root:');
  }
  expect(withoutPaths('See /home/ana/agents/a.md and https://example.com/a/b.', [])).toBe(
    'See …/a.md and https://example.com/a/b.',
  );
  expect(withoutPaths('/srv/cadre/a.md:3 is wrong', ['/srv/cadre'])).toBe('./a.md:3 is wrong');
});

test('an address that does not exist is told as it was asked for', async () => {
  const { text, allow } = await raw('/api/runs', { host: host(), ...auth() }, 'DELETE');
  expect(JSON.parse(text)).toMatchObject({
    code: 'request/method',
    detail: '/api/runs takes POST and GET, not DELETE.',
  });
  expect(allow).toBe('POST, GET');
  const head = await raw('/v1/chat/completions', { host: host(), ...auth() });
  expect(head).toMatchObject({ status: 405, allow: 'POST' });
  expect(JSON.parse(head.text)).toMatchObject({ error: { message: '/v1/chat/completions takes POST, not GET.' } });
  const missing = await raw('/api/nothing/here', { host: host(), ...auth() });
  expect(JSON.parse(missing.text)).toMatchObject({
    detail: 'There is nothing at GET /api/nothing/here. See /openapi.json.',
  });
});

test('the page serves nothing from outside of it', async () => {
  for (const path of [
    '/..%2f..%2fpackage.json',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/%2e%2e/%2e%2e/package.json',
    '//etc/passwd',
    '/.cadre/server-token',
  ]) {
    const { text } = await raw(path, { ...auth(), host: host() });
    expect(text).not.toContain('"dependencies"');
    expect(text).not.toContain(served.token);
    expect(text).not.toContain('root:');
  }
});

test('it does not start on another interface without a token, nor with a short one', async () => {
  const { path } = folderOf({ 'a.md': '---\ndescription: A.\n---\n' });
  const common = { store: memoryStore(), dir: join(path, '.cadre'), port: 0, version: '0', log() {} };
  await expect(openServer(path, { ...common, host: '0.0.0.0', token: false })).rejects.toThrow('this machine only');
  await expect(openServer(path, { ...common, token: 'short' })).rejects.toThrow('at least 16');
  const open = await openServer(path, { ...common, token: false });
  const anyone = clientOf(open.url, '');
  expect((await anyone.get('/api/cadre')).body.you.name).toBe('anyone');
  expect((await anyone.get('/api/cadre', { origin: 'https://evil.example' })).status).toBe(403);
  await open.close();
});

test('a token that asks too often waits', async () => {
  const folder = await servedFolder({
    'cadre.yaml': 'server: { requestsPerMinute: 5 }\n',
    'a.md': '---\ndescription: A.\nmodels: openai/x\n---\n',
  });
  const answers = [];
  for (let count = 0; count < 8; count++) answers.push(await folder.get('/api/runs'));
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429, 429]);
  expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThan(0);
  await folder.remove();
});
