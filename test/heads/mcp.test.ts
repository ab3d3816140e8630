// The MCP head with the official client, over HTTP and on stdio, in both revisions of the protocol.

import { Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tool } from '../../src/tools/functions.ts';
import { AGENTS, type Served, served } from '../support/served.ts';

let at: Served;
let erased: string[] = [];
beforeAll(async () => {
  const erase = tool({
    name: 'erase',
    description: 'Erases a thing.',
    parameters: { type: 'object', properties: { what: { type: 'string' } }, required: ['what'] } as const,
    run: ({ what }) => {
      erased.push(what);
      return `erased ${what}`;
    },
  });
  at = await served(
    {
      ...AGENTS,
      'eraser.md': '---\ndescription: Erases.\ntools: [erase]\napprove: [erase]\n---\nYou erase.',
      'demo.script.yaml': `${AGENTS['demo.script.yaml']}\n  eraser:\n    - call: { erase: { what: draft } }\n    - answer: "{{last}}"`,
    },
    [erase],
  );
});
afterAll(() => at.close());

/** A client of each revision. */
const ERAS: readonly (readonly [string, ClientOptions])[] = [
  ['2025', {}],
  ['2026', { versionNegotiation: { mode: 'auto' } }],
];

async function connect(options: ClientOptions = {}, token = at.token): Promise<Client> {
  const client = new Client({ name: 'test', version: '1' }, options);
  const headers = { authorization: `Bearer ${token}` };
  const url = `${at.url}/mcp`;
  const moved: typeof fetch = (_, init) => fetch(`${at.url}/mcp`, init); // a restart takes another port
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers }, fetch: moved }));
  return client;
}

const textOf = (result: { readonly content?: unknown }): string =>
  (result.content as readonly { readonly text: string }[])[0]?.text ?? '';

test.each(ERAS)('%s: an agent is a tool with its own input and output', async (_, options) => {
  const client = await connect(options);
  const { tools } = await client.listTools();
  const named = (name: string) => tools.find((tool) => tool.name === name);
  expect(named('agent__echo')?.inputSchema).toMatchObject({
    properties: { input: { type: 'string' } },
    required: ['input'],
  });
  expect(named('agent__form')?.inputSchema).toMatchObject({
    properties: { order: { type: 'string' } },
    required: ['order'],
  });
  expect(named('agent__clerk')?.outputSchema).toMatchObject({ required: ['filed'] });
  const said = await client.callTool({ name: 'agent__echo', arguments: { input: 'Hello.' } });
  expect(textOf(said)).toBe('You said: Hello.');
  const form = await client.callTool({ name: 'agent__form', arguments: { order: '17' } });
  expect(textOf(form)).toBe('Order 17 is here.');
  const filed = await client.callTool({ name: 'agent__clerk', arguments: { input: 'File it.' } });
  expect(filed.structuredContent).toEqual({ filed: 'yes' });
  await client.close();
});

test.each(ERAS)('%s: a call that names a thread goes on with it', async (_, options) => {
  const client = await connect(options);
  const first = await client.callTool({ name: 'agent__echo', arguments: { input: 'my name is Ada' } });
  const thread = (first._meta as Record<string, unknown>)['cadre/thread'] as string;
  expect(JSON.stringify(first.content)).toContain(`thread: ${thread}`);
  const second = await client.callTool({ name: 'agent__echo', arguments: { input: 'Who am I?', thread } });
  expect(textOf(second)).toBe('Your name is Ada.');
  await client.close();
});

test.each(ERAS)('%s: a client that asks for progress is told what the run does', async (_, options) => {
  const client = await connect(options);
  const told: string[] = [];
  await client.callTool(
    { name: 'agent__looker', arguments: { input: 'Look.' } },
    { onprogress: ({ message }) => void told.push(message ?? '') },
  );
  expect(told).toContain('looker: thinks');
  expect(told).toContain('looker: calls list_files');
  await client.close();
});

test.each(ERAS)('%s: a call that is cancelled cancels its run', async (_, options) => {
  const client = await connect(options);
  const leave = new AbortController();
  const before = (await at.runs()).length;
  const called = client.callTool({ name: 'agent__slow', arguments: { input: 'Go.' } }, { signal: leave.signal });
  while ((await at.runs()).length === before) await new Promise((resolve) => setTimeout(resolve, 5));
  leave.abort('enough');
  await expect(called).rejects.toThrow();
  const { run } = (await at.runs()).at(-1)!;
  expect(await at.server.context.engine.outcome(run)).toMatchObject({ kind: 'cancelled' });
  await client.close();
});

test.each(ERAS.flatMap(([era, options]) => [true, false].map((yes) => [era, yes, options] as const)))(
  '%s: a call that needs a person is asked of the client, and the answer %s holds',
  async (_, yes, options) => {
    erased = [];
    const client = await connect({ ...options, capabilities: { elicitation: { form: {} } } });
    const asked: string[] = [];
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return { action: 'accept', content: { approve: yes, ...(!yes && { note: 'It is needed.' }) } };
    });
    const result = await client.callTool({ name: 'agent__eraser', arguments: { input: 'Erase the draft.' } });
    expect(asked).toHaveLength(1);
    expect(asked[0]).toContain('"what": "draft"');
    expect(erased).toEqual(yes ? ['draft'] : []);
    expect(textOf(result)).toContain(yes ? 'erased draft' : 'It is needed.');
    const { run } = (await at.runs()).at(-1)!;
    expect(result._meta).toMatchObject({ 'cadre/run': run });
    await client.close();
  },
);

test('a question that is asked before a restart is answered after it', async () => {
  erased = [];
  const client = await connect({ versionNegotiation: { mode: 'auto' }, capabilities: { elicitation: { form: {} } } });
  client.setRequestHandler('elicitation/create', async () => {
    await at.restart();
    return { action: 'accept', content: { approve: true } };
  });
  const result = await client.callTool({ name: 'agent__eraser', arguments: { input: 'Erase after a restart.' } });
  expect(textOf(result)).toContain('erased draft');
  expect(erased).toEqual(['draft']);
  await client.close();
});

test('a call waits for an answer from elsewhere if the client cannot ask, and says so', async () => {
  const client = await connect();
  const told: string[] = [];
  const called = client.callTool(
    { name: 'agent__eraser', arguments: { input: 'Erase.' } },
    { onprogress: ({ message }) => void told.push(message ?? '') },
  );
  const waiting = async () => (await at.store.list({ waiting: true, limit: 1 }))[0]?.run;
  let run = await waiting();
  for (; run === undefined; run = await waiting()) await new Promise((resolve) => setTimeout(resolve, 5));
  const { approvalsOf } = await import('../../src/engine/remote/waiting-approvals.ts');
  const [one] = (await approvalsOf(run, at.store)).waiting;
  await at.server.context.engine.handle(run).control({ kind: 'verdict', op: one!.path, approved: true });
  expect(textOf(await called)).toContain('erased draft');
  expect(told.join()).toContain(`cadre approve ${run}`);
  await client.close();
});

test('a run that fails is a failed call, with what it had written', async () => {
  const client = await connect();
  const failed = await client.callTool({ name: 'agent__tired', arguments: { input: 'x' } });
  expect(failed).toMatchObject({ isError: true });
  expect(textOf(failed)).toContain('exhausted');
  expect(textOf(failed)).toContain('Still at it.');
  const wrong = await client.callTool({ name: 'agent__form', arguments: { order: 17 } });
  expect(wrong).toMatchObject({ isError: true });
  expect(textOf(wrong)).toContain('$.order');
  await expect(client.callTool({ name: 'agent__nobody', arguments: {} })).rejects.toThrow(
    'There is no tool agent__nobody',
  );
  await client.close();
});

test('a failed call tells no path of the machine', async () => {
  const client = await connect();
  const failed = await client.callTool({ name: 'agent__broken', arguments: { input: 'x' } });
  expect(textOf(failed)).toContain('the server refused the key (as scripted at ./demo.script.yaml');
  expect(textOf(failed)).not.toContain(at.folder);
  await client.close();
});

test.each([
  [{}, '$ must have the property "input"'],
  [{ input: 'x', language: 'de' }, '$.language is not a known property'],
  [{ input: 'x', thread: 5 }, '$.thread must be string'],
  [{ input: ' ' }, 'The message is empty.'],
])('arguments that an agent does not take are refused by name: %j', async (given, why) => {
  const client = await connect();
  const refused = await client.callTool({ name: 'agent__echo', arguments: given });
  expect(refused).toMatchObject({ isError: true });
  expect(textOf(refused)).toContain(why);
  await client.close();
});

test('a token sees its own agents alone, and one that is unknown sees nothing', async () => {
  const guest = await connect({}, 'guest-token-of-the-tests');
  expect((await guest.listTools()).tools.map(({ name }) => name)).toEqual(['agent__echo']);
  await expect(guest.callTool({ name: 'agent__boss', arguments: { input: 'x' } })).rejects.toThrow('There is no tool');
  await guest.close();
  await expect(connect({}, 'nonsense')).rejects.toThrow();
});

test('a session is good for the token that began it', async () => {
  const initialize = {
    jsonrpc: '2.0',
    id: 1,
    method: 'initialize',
    params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 't', version: '1' } },
  };
  const post = (token: string, body: object, session?: string) =>
    fetch(`${at.url}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        ...(session && { 'mcp-session-id': session }),
      },
      body: JSON.stringify(body),
    });
  const session = (await post(at.token, initialize)).headers.get('mcp-session-id') ?? '';
  const list = { jsonrpc: '2.0', id: 2, method: 'tools/list' };
  expect((await post(at.token, list, session)).status).toBe(200);
  expect((await post('guest-token-of-the-tests', list, session)).status).toBe(404);
});
