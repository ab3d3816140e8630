// Tests that a server runs: their bound, the start, what is refused, whose turn it is, and the ways they end.

import { symlinkSync, writeFileSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { fileStore } from '../src/stores/file/file-store.ts';
import { clientOf, SCRIPTED, type ServedFolder, type ServerAnswer, servedFolder } from './support/server.ts';

let served: ServedFolder | undefined;
afterEach(async () => {
  await served?.remove();
  served = undefined;
});

const agent = (front: string, body: string): string => `---\ndescription: ${body}\n${front}---\n${body}\n`;

const DESK = {
  'cadre.yaml':
    `${SCRIPTED}models:\n  priced: { use: near/x, price: { input: 1, output: 2 }, contextWindow: 1000, maxOutputTokens: 500 }
server:
  tokens:
    guest: { token: "guest-token-of-the-test", may: [see, run], agents: [greeter] }
    reader: { token: "reader-token-of-the-test", may: [see] }
`.replace('demo: {', 'near: { kind: openai-compatible, baseUrl: "http://127.0.0.1:9/v1" }\n  demo: {'),
  'greeter.md': agent('maxTurns: 3\n', 'Greets.'),
  'payer.md': agent('', 'Pays.'),
  'script.yaml': 'agents: { greeter: [{ answer: "Hello." }], payer: [{ answer: "Paid." }] }',
  'greeter.test.yaml': JSON.stringify({
    agent: 'greeter',
    cases: {
      'it greets': { input: 'Hi', expect: { answer: 'Hello.' } },
      'it pays': { input: 'Hi', expect: { answer: 'Paid.' } },
    },
  }),
  'more/payer.test.yaml': JSON.stringify({ agent: 'payer', cases: { 'it is paid': { input: 'Pay', expect: {} } } }),
};

const ended = async (one: Pick<ServedFolder, 'get'>, id: string): Promise<ServerAnswer['body']> => {
  await expect.poll(async () => (await one.get(`/api/tests/${id}`)).body.state, { timeout: 20_000 }).toBe('ended');
  return (await one.get(`/api/tests/${id}`)).body;
};

test('the bound of tests starts nothing, and says what models can be called and cost at most', async () => {
  served = await servedFolder(DESK);
  const free = await served.post('/api/tests', { places: ['.'], bound: true });
  expect([free.status, free.body]).toEqual([
    200,
    { cases: 3, tries: 3, candidates: [{ kind: 'team' }], calls: 0, usd: 0 },
  ]);
  const one = { places: ['greeter.test.yaml'], models: ['priced'], bound: true };
  const priced = (await served.post('/api/tests', one)).body;
  expect(priced).toMatchObject({ cases: 2, tries: 2, candidates: [{ kind: 'team', model: 'priced' }] });
  expect(priced.calls).toBeGreaterThan(0);
  expect(priced.usd).toBeCloseTo(priced.calls * ((1000 + 500 * 2) / 1_000_000));
  const often = (await served.post('/api/tests', { ...one, times: 10 })).body;
  expect([often.tries, often.calls, often.usd]).toEqual([20, priced.calls * 10, expect.closeTo(priced.usd * 10)]);
  const two = (await served.post('/api/tests', { ...one, models: ['priced', 'priced', 'demo/any'], alone: true })).body;
  expect([two.tries, two.candidates.length, two.calls]).toEqual([8, 4, priced.calls]); // alone: it leads to no one
  const unknown = (await served.post('/api/tests', { ...one, models: ['near/y'] })).body;
  expect(unknown).toMatchObject({ usd: null, calls: priced.calls, why: expect.stringContaining('near/y') });
  expect((await served.get('/api/tests')).body.items).toEqual([]);
});

test('tests are started, two at once, and their results are kept as cadre test keeps them', async () => {
  served = await servedFolder(DESK);
  const changes = await served.stream('/api/stream');
  const [all, some] = await Promise.all([
    served.post('/api/tests', { places: ['.'] }),
    served.post('/api/tests', { places: ['more', './more/payer.test.yaml'], times: 2 }),
  ]);
  expect([all.status, some.status, all.body.bound.cases]).toEqual([202, 202, 3]);
  expect(all.body.id).not.toBe(some.body.id);
  expect(await ended(served, all.body.id)).toMatchObject({
    command: 'cadre test --live',
    planned: 3,
    counts: { passed: 2, failed: 1, skipped: 0 },
    failed: ['it pays'],
    cases: [
      { name: 'it greets', state: 'passed', file: 'greeter.test.yaml' },
      { name: 'it pays', state: 'failed', kept: true },
      { name: 'it is paid', state: 'passed', file: 'more/payer.test.yaml' },
    ],
  });
  expect(await ended(served, some.body.id)).toMatchObject({
    command: 'cadre test more more/payer.test.yaml --live --times 2',
    counts: { passed: 2 },
    times: 2,
  });
  expect((await changes.nextOf('tests'))?.data.id).toMatch(/^\d{8}-/);
  changes.close();
  const [failed] = (await served.get(`/api/tests/${all.body.id}`)).body.cases[1].runs;
  expect((await served.get(`/api/runs/${failed}`)).status).toBe(200);
});

test('a request that cannot be met is refused with where and what, and nothing is started', async () => {
  served = await servedFolder(DESK);
  const at = served;
  const { path } = at;
  writeFileSync(join(path, '..', 'elsewhere.test.yaml'), 'agent: greeter\ncases: {}\n');
  symlinkSync('/etc', join(path, 'link'));
  served.write('empty/readme.txt', 'nothing');
  const refused = async (body: unknown): Promise<readonly unknown[]> => {
    const { status, body: problem } = await at.post('/api/tests', body);
    return [status, problem.code, problem.detail];
  };
  const bad = (words: string) => [400, 'request/invalid', expect.stringContaining(words)];
  for (const place of ['..', '../elsewhere.test.yaml', '/etc', 'link', 'nowhere', 'script.yaml', 'a\0b'])
    expect(await refused({ places: ['.', place] })).toEqual(bad('$.places[1]: '));
  expect(await refused({ places: ['empty'] })).toEqual(bad('there are no tests in empty'));
  expect(await refused({ places: [] })).toEqual(bad('$.places'));
  expect(await refused({})).toEqual(bad('places'));
  for (const times of [0, 1001, 1.5, '2']) expect(await refused({ places: ['.'], times })).toEqual(bad('$.times'));
  expect(await refused({ places: ['.'], loud: true })).toEqual(bad('loud'));
  expect(await refused({ places: ['.'], models: ['nobody/x'] })).toEqual([
    expect.any(Number),
    'model/unknown',
    expect.stringMatching(/\$\.models\[0\]: .*needs a provider "nobody"/),
  ]);
  served.write('broken.test.yaml', 'agent: greeter\ncases: { one: { inptu: x } }\n');
  expect(await refused({ places: ['.'] })).toEqual([
    expect.any(Number),
    'config/invalid',
    expect.stringContaining('broken.test.yaml has mistakes'),
  ]);
  served.write('broken.test.yaml', 'agent: nobody\ncases: { one: { input: x } }\n');
  expect((await refused({ places: ['.'] }))[1]).toBe('agent/unknown');
  expect((await served.get('/api/tests')).body.items).toEqual([]);
});

test('a token that may not run starts none, and one for some agents tests only those', async () => {
  served = await servedFolder(DESK);
  const reader = clientOf(served.url, 'reader-token-of-the-test');
  expect((await reader.post('/api/tests', { places: ['.'] })).status).toBe(403);
  const guest = clientOf(served.url, 'guest-token-of-the-test');
  const whole = await guest.post('/api/tests', { places: ['.'], bound: true });
  expect([whole.status, whole.body.code]).toEqual([403, 'request/forbidden']);
  expect(whole.text).not.toContain('payer');
  const own = await guest.post('/api/tests', { places: ['greeter.test.yaml'] });
  expect(own.status).toBe(202);
  expect((await ended(guest, own.body.id)).counts).toEqual({ passed: 1, failed: 1, skipped: 0 });
  const other = (await served.post('/api/tests', { places: ['more'] })).body.id;
  expect((await guest.post(`/api/tests/${other}/cancel`)).status).toBe(404);
  await ended(served, other);
  served.write('broken.test.yaml', 'agent: payer\ncases: { secret: { inptu: x } }\n');
  const hidden = await guest.post('/api/tests', { places: ['.'] });
  expect([hidden.body.code, hidden.text.includes('secret')]).toEqual(['config/invalid', false]);
});

/** A model that answers the first requests, and keeps the others waiting. */
async function slowModel(answers: number): Promise<{ readonly url: string; readonly held: readonly ServerResponse[] }> {
  const held: ServerResponse[] = [];
  let left = answers;
  const server = createServer((request, response) => {
    request.resume();
    if (left-- <= 0) return void held.push(response);
    const choices = [{ index: 0, delta: { content: 'Hello.' }, finish_reason: 'stop' }];
    const usage = { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 };
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.end(
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, usage })}\n\ndata: [DONE]\n\n`,
    );
    return undefined;
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, held };
}

const slowDesk = (url: string, limits: string): Readonly<Record<string, string>> => ({
  'cadre.yaml': `providers: { local: { kind: openai-compatible, baseUrl: "${url}" } }\ndefaults: { models: [local/a] }\nserver: { ${limits} }\n`,
  'greeter.md': agent('', 'Greets.'),
  'greeter.test.yaml': JSON.stringify({
    agent: 'greeter',
    cases: { one: { input: 'Hi' }, two: { input: 'Hi' }, three: { input: 'Hi' } },
  }),
});

test('cases take the turns of runs, the result grows, and a cancel keeps what was done', async () => {
  const { url, held } = await slowModel(1);
  served = await servedFolder(slowDesk(url, 'maxRuns: 1, maxWaiting: 4'));
  const { id } = (await served.post('/api/tests', { places: ['.'] })).body;
  expect((await served.get(`/api/tests/${id}`)).body).toMatchObject({ id, state: 'running', planned: 3 });
  await expect.poll(() => held.length).toBe(1); // the second case; the third waits for its turn
  await expect
    .poll(async () => (await served?.get(`/api/tests/${id}`))?.body.cases, { timeout: 10_000 })
    .toMatchObject([{ name: 'one', state: 'passed' }]);
  const run = await served.post('/api/runs', { agent: 'greeter', input: 'Hi' });
  expect([run.status, run.body.state]).toEqual([202, 'waiting']);
  expect((await served.post(`/api/tests/${id}/cancel`)).status).toBe(204);
  expect(await ended(served, id)).toMatchObject({
    stopped: true,
    cases: [
      { state: 'passed' },
      { state: 'failed', outcome: 'cancelled' },
      { state: 'skipped', why: 'the tests were cancelled' },
    ],
  });
  await expect.poll(() => held.length).toBe(2); // the run has got the turn
  const again = await served.post(`/api/tests/${id}/cancel`);
  expect([again.status, again.body.code]).toEqual([409, 'test/not-here']);
  expect((await served.post(`/api/runs/${run.body.run}/cancel`)).status).toBe(200);
});

test('a server whose line is full refuses tests, and starts none', async () => {
  const { url, held } = await slowModel(0);
  served = await servedFolder(slowDesk(url, 'maxRuns: 1, maxWaiting: 1'));
  const runs = [];
  for (const input of ['a', 'b']) runs.push((await served.post('/api/runs', { agent: 'greeter', input })).body.run);
  await expect.poll(() => held.length).toBe(1);
  const refused = await served.post('/api/tests', { places: ['.'] });
  expect([refused.status, refused.body.code]).toEqual([429, 'server/busy']);
  expect((await served.get('/api/tests')).body.items).toEqual([]);
  for (const run of runs) await served.post(`/api/runs/${run}/cancel`);
});

test('a server that ends stops its tests at once, and what was done is kept', async () => {
  const { url, held } = await slowModel(1);
  served = await servedFolder(slowDesk(url, 'maxRuns: 1, maxWaiting: 4'));
  const { id } = (await served.post('/api/tests', { places: ['.'] })).body;
  await expect.poll(() => held.length).toBe(1);
  await served.server.close();
  const kept = await fileStore(join(served.path, '.cadre')).tests.get(id);
  expect(JSON.parse(kept?.head ?? '')).toMatchObject({
    id,
    stopped: true,
    counts: { passed: 1, failed: 1, skipped: 1 },
  });
  expect(kept?.body).toContain('"why":"the server ended"');
});
