// An answer of a loop that no judge found good: each head says so, in a place that its clients can read.

import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Served, served } from '../support/served.ts';

let at: Served;
beforeAll(async () => {
  at = await served({
    'cadre.yaml': 'providers: {demo: {kind: scripted, script: ./demo.script.yaml}}\ndefaults: {models: [demo/any]}\n',
    'writer.md': '---\ndescription: Writes.\nrepeat: {until: critic, max: 1, atMax: last}\n---\nYou write.\n',
    'critic.md': '---\ndescription: Judges.\n---\nYou judge.\n',
    'demo.script.yaml': JSON.stringify({
      agents: {
        writer: [{ answer: 'A draft.', repeat: true }],
        critic: [{ report: { good: false, why: 'No.' }, repeat: true }],
      },
    }),
  });
});
afterAll(() => at.close());

const post = (path: string, body: object): Promise<Response> =>
  fetch(new URL(path, at.url), {
    method: 'POST',
    headers: { authorization: `Bearer ${at.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

const UNMET = 'unmet: not found good in 1 round';
const messages = [{ role: 'user', content: 'Write.' }];

const REQUESTS = [
  ['/v1/chat/completions', { model: 'writer', messages }],
  ['/v1/responses', { model: 'writer', input: 'Write.' }],
  ['/v1/messages', { model: 'writer', max_tokens: 100, messages }],
] as const;

test.each(REQUESTS)(
  '%s streams the answer, and says in a comment before its last frame that it is unmet',
  async (path, body) => {
    const text = await (await post(path, { ...body, stream: true })).text();
    expect(text.indexOf('A draft.')).toBeGreaterThan(0);
    expect(text.indexOf(`\n: x-cadre-unmet: ${UNMET}\n\n`)).toBeGreaterThan(text.indexOf('A draft.'));
  },
);

test('A2A says so in the last message of its task, and in the last update of a stream', async () => {
  const parts = [{ kind: 'text', text: 'Write.' }];
  for (const method of ['message/send', 'message/stream']) {
    const message = { role: 'user', messageId: method, kind: 'message', parts };
    const params = { message, configuration: { blocking: true } };
    const response = await post('/a2a/writer', { jsonrpc: '2.0', id: 1, method, params });
    expect(await response.text(), method).toContain(UNMET);
  }
});

test.each(REQUESTS)('%s gives the answer, and says in a header that it is unmet', async (path, body) => {
  const response = await post(path, body);
  expect(response.status).toBe(200);
  expect(response.headers.get('x-cadre-unmet')).toBe(UNMET);
  expect(await response.text()).toContain('A draft.');
});

test('the result of a tool of MCP says so below the answer', async () => {
  const client = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${at.token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', at.url), { requestInit: { headers } }));
  const { tools } = await client.listTools();
  const name = tools.find((tool) => tool.name.includes('writer'))?.name ?? '';
  const { content } = await client.callTool({ name, arguments: { input: 'Write.' } });
  expect(content).toContainEqual({ type: 'text', text: UNMET });
  await client.close();
});

test('the API gives it as it is', async () => {
  const response = await post('/api/runs?wait=30s', { agent: 'writer', input: 'Write.' });
  expect(await response.json()).toMatchObject({
    outcome: { kind: 'answered', text: 'A draft.', unmet: true, rounds: 1 },
  });
});
