// Two cadres with an agent of the same name behind one server: neither gets the conversations and tasks of the other.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { clientOf, type ServedFolder, servedFolder } from '../support/server.ts';

const DESK = 'desk-token-0123456789abcdef';
const cadre = 'providers:\n  demo: { kind: scripted, script: ./s.yaml }\ndefaults: { models: [demo/any] }\n';
let served: ServedFolder;

beforeAll(async () => {
  served = await servedFolder({
    'cadre.yaml': `server: { tokens: { desk: { token: ${DESK}, agents: [desk/clerk], may: [see, run] } } }\n`,
    'desk/cadre.yaml': cadre,
    'desk/clerk.md': '---\ndescription: Helps.\n---\nHelp.\n',
    'desk/s.yaml': 'any: [{ answer: "Noted.", repeat: true }]\n',
    'shop/cadre.yaml': cadre,
    'shop/clerk.md': '---\ndescription: Sells.\n---\nSell.\n',
    'shop/s.yaml': 'any: [{ answer: "Noted.", repeat: true }]\n',
  });
});
afterAll(() => served.remove());

const user = (content: string) => ({ role: 'user', content });
const NOTED = { role: 'assistant', content: 'Noted.' };

test('the same words to each are two conversations', async () => {
  const chat = async (model: string, messages: readonly object[]) =>
    (await served.post('/v1/chat/completions', { model, messages })).headers.get('x-cadre-thread');
  const shop = await chat('shop/clerk', [user('Hello.')]);
  const desk = await chat('desk/clerk', [user('Hello.')]);
  expect(desk).not.toBe(shop);
  const more = [user('Hello.'), NOTED, user('And?')];
  expect([await chat('desk/clerk', more), await chat('shop/clerk', more)]).toEqual([desk, shop]);
});

test('a thread of one is refused to the other, over the API and a head', async () => {
  const begun = { agent: 'shop/clerk', input: 'Hello.', thread: 'new' };
  const { thread } = (await served.post('/api/runs?wait=30s', begun)).body;
  const refused = await served.post('/api/runs', { agent: 'desk/clerk', input: 'And?', thread });
  expect(refused.body).toMatchObject({
    code: 'thread/other-agent',
    detail: expect.stringContaining('with shop/clerk,'),
  });
  const asked = { model: 'desk/clerk', messages: [user('And?')] };
  const head = await served.post('/v1/chat/completions', asked, { 'x-cadre-thread': thread });
  expect(head.body.error).toMatchObject({ code: 'thread/other-agent' });
});

test('the tasks of one are not those of the other, also for a token that may use only one', async () => {
  const { run } = (await served.post('/api/runs?wait=30s', { agent: 'shop/clerk', input: 'A secret.' })).body;
  for (const client of [served, clientOf(served.url, DESK)]) {
    const ask = async (method: string, params: object, headers: Readonly<Record<string, string>> = {}) =>
      (await client.post('/a2a/desk/clerk', { jsonrpc: '2.0', id: 1, method, params }, headers)).body;
    expect((await ask('tasks/get', { id: run })).error.message).toContain('There is no');
    const list = await ask('ListTasks', { includeArtifacts: true }, { 'a2a-version': '1.0' });
    expect(list.result.tasks).toBeInstanceOf(Array);
    expect(JSON.stringify(list)).not.toContain('A secret.');
  }
  const own = { jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: run } };
  expect((await served.post('/a2a/shop/clerk', own)).body.result).toMatchObject({ id: run });
});

test('the list of runs of one leaves the other out', async () => {
  for (const agent of ['desk/clerk', 'shop/clerk']) await served.post('/api/runs?wait=30s', { agent, input: 'Hello.' });
  for (const prefix of ['desk/', 'shop/']) {
    const { items } = (await served.get(`/api/runs?agent=${encodeURIComponent(`${prefix}clerk`)}`)).body;
    expect(new Set(items.map((row: { prefix: string }) => row.prefix))).toEqual(new Set([prefix]));
  }
});
