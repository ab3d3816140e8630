// A server that ends while clients of heads wait: their runs go on at the next start, and each client is told so.

import { readdirSync } from 'node:fs';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import type { RunEvent } from '../../src/journal/event.ts';
import { gateTool, SCRIPTED, servedFolder } from '../support/server.ts';

test('a run that outlasts the grace time is told to its client as one that goes on, not as a wrong request', async () => {
  const gate = gateTool();
  const served = await servedFolder(
    {
      'cadre.yaml': `${SCRIPTED}server: { grace: 1s }\n`,
      'keeper.md': '---\ndescription: Keeps.\ntools: [gate]\n---\nKeep.\n',
      'script.yaml': 'agents:\n  keeper: [{ say: "I wait.", call: gate }, { answer: kept }]\n',
    },
    { tools: [gate.tool] },
  );
  onTestFinished(() => served.remove());
  const messages = [{ role: 'user', content: 'Go.' }];
  const mcp = new Client({ name: 'test', version: '1' });
  const headers = { authorization: `Bearer ${served.token}` };
  await mcp.connect(new StreamableHTTPClientTransport(new URL(`${served.url}/mcp`), { requestInit: { headers } }));
  const asked = [
    served.post('/v1/chat/completions', { model: 'keeper', messages }),
    served.post('/v1/chat/completions', { model: 'keeper', messages }, { 'idempotency-key': 'one' }),
    served.post('/v1/messages', { model: 'keeper', max_tokens: 9, messages }),
    served.post('/v1/chat/completions', { model: 'keeper', messages, stream: true }),
    served.post('/api/runs?wait=60s', { agent: 'keeper', input: 'Go.' }),
  ] as const;
  const called = mcp.callTool({ name: 'agent__keeper', arguments: { input: 'Go.' } });
  await gate.reached(asked.length + 1);
  const ended = served.server.close();

  const [chat, keyed, message, streamed, waited] = await Promise.all(asked);
  const goesOn = expect.stringContaining('The run goes on. See: cadre show ');
  expect(chat.status).toBe(503);
  expect(chat.body.error).toMatchObject({ type: 'server_error', code: 'server/draining', message: goesOn });
  expect(chat.body.error.run).toBe(chat.headers.get('x-cadre-run'));
  expect(message.status).toBe(503);
  expect(message.body.error).toMatchObject({ type: 'overloaded_error', code: 'server/draining', message: goesOn });
  // Another try would be another run, unless the request has a key.
  expect([chat, message, keyed].map((one) => one.headers.get('x-should-retry'))).toEqual(['false', 'false', 'true']);
  expect(streamed.text).toContain('I wait.');
  expect(streamed.text).toContain('"code":"server/draining"');
  expect([waited.status, waited.body.state]).toEqual([202, 'running']);
  const result = await called;
  expect(result.isError).toBe(true);
  expect(JSON.stringify(result.content)).toContain('The run goes on.');
  await mcp.close();
  await ended;
  expect(messagesLeft(served.path)).toEqual([]);
});

test('a server that ends at once cancels no run by closing the connections of its clients', async () => {
  const gate = gateTool();
  const served = await servedFolder(
    {
      'cadre.yaml': SCRIPTED,
      'keeper.md': '---\ndescription: Keeps.\ntools: [gate]\n---\nKeep.\n',
      'script.yaml': 'agents:\n  keeper: [{ call: gate }, { answer: kept }]\n',
    },
    { tools: [gate.tool] },
  );
  onTestFinished(() => served.remove());
  const asked = served.post('/v1/chat/completions', { model: 'keeper', messages: [{ role: 'user', content: 'Go.' }] });
  const broken = expect(asked).rejects.toThrow();
  await gate.reached();
  const [{ run }] = (await served.get('/api/runs')).body.items;
  const ended = served.server.close();
  void served.server.close();
  await broken;
  await ended;
  const events: RunEvent[] = [];
  for await (const event of served.server.context.store.read(run)) events.push(event);
  expect(events.filter(({ type }) => type === 'control' || type === 'run-end')).toEqual([]);
  expect(messagesLeft(served.path)).toEqual([]);
});

/** Messages in the store that a run would take first at the next start. */
const messagesLeft = (folder: string): readonly string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((one) => one.isFile() && /[\\/]control([\\/]|$)/.test(one.parentPath))
    .map(({ name }) => name);
