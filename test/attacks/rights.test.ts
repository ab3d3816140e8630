// Rights that are taken away while a client uses them: a token is removed from cadre.yaml, or may less. What goes on ends
// with a word, and the next request is refused.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Role } from '@a2a-js/sdk';
import {
  ClientFactory,
  ClientFactoryOptions,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
} from '@a2a-js/sdk/client';
import Anthropic from '@anthropic-ai/sdk';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import OpenAI from 'openai';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { AGENTS, type Served, served } from '../support/served.ts';
import { clientOf, type Gate, gateTool } from '../support/server.ts';

const TOKEN = 'ci-token-0123456789abcdef';
const MAY_ALL = '{ token: "ci-token-0123456789abcdef", may: [see, run, approve] }';

let at: Served;
let gate: Gate;
beforeEach(async () => {
  gate = gateTool();
  at = await served(
    {
      ...AGENTS,
      'cadre.yaml': settings(MAY_ALL),
      'holder.md': '---\ndescription: Holds.\ntools: [gate]\n---\nYou hold.',
      'eraser.md': '---\ndescription: Erases.\ntools: [gate]\napprove: [gate]\n---\nYou erase.',
      'demo.script.yaml': [
        AGENTS['demo.script.yaml'],
        '  holder: [{ say: "One moment.", call: gate }, { answer: held }]',
        '  eraser: [{ call: gate }, { answer: erased }]',
      ].join('\n'),
    },
    [gate.tool],
  );
});
afterEach(async () => {
  gate.open();
  await at.close();
});

const settings = (ci: string | undefined): string =>
  [
    'providers: { demo: { kind: scripted, script: ./demo.script.yaml } }',
    'defaults: { models: [demo/any] }',
    `server: { tokens: { other: { token: other-token-0123456789abcdef }${ci === undefined ? '' : `, ci: ${ci}`} } }`,
  ].join('\n');
const change = (ci: string | undefined): void => writeFileSync(join(at.folder, 'cadre.yaml'), settings(ci));
const rejection = async (work: Promise<unknown>): Promise<Error & { readonly status?: number }> =>
  work.then(
    (value) => {
      throw new Error(`It was not refused: ${JSON.stringify(value)}`);
    },
    (thrown: unknown) => thrown as Error,
  );
const outcomeOfOnlyRun = async (): Promise<string> => {
  const [run] = await at.runs();
  return (await at.server.context.engine.outcome(run?.run ?? '')).kind;
};
const mcpClient = async (
  options: ConstructorParameters<typeof Client>[1] = {},
  posted: (body: string) => void = () => {},
): Promise<Client> => {
  const client = new Client({ name: 'test', version: '1' }, options);
  const requestInit = { headers: { authorization: `Bearer ${TOKEN}` } };
  const watched: typeof fetch = async (input, init) => {
    const response = await fetch(input, init);
    posted(typeof init?.body === 'string' ? init.body : '');
    return response;
  };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${at.url}/mcp`), { requestInit, fetch: watched }));
  return client;
};
/** Settles when the server has told the client that it has other tools. */
const otherTools = (client: Client): Promise<void> =>
  new Promise((resolve) => client.setNotificationHandler('notifications/tools/list_changed', () => resolve()));
const toolNames = async (client: Client): Promise<readonly string[]> =>
  (await client.listTools()).tools.map(({ name }) => name);

test.each([
  ['is removed', undefined],
  ['has another secret', '{ token: another-token-0123456789, may: [see, run] }'],
  ['may not see', '{ token: "ci-token-0123456789abcdef", may: [run] }'],
  ['may use fewer agents', '{ token: "ci-token-0123456789abcdef", agents: [echo] }'],
])('the streams of a token that %s end with a word, and those of others go on', async (_, ci) => {
  const client = clientOf(at.url, TOKEN);
  const { run } = (await client.post('/api/runs', { agent: 'holder', input: 'x' })).body;
  await gate.reached();
  const own = await Promise.all([client.stream('/api/stream'), client.stream(`/api/runs/${run}/events`)]);
  const owner = await clientOf(at.url, at.token).stream(`/api/runs/${run}/events`);
  change(ci);
  for (const stream of own) {
    const rest = await stream.rest();
    expect(rest.at(-1)).toMatchObject({ event: 'refused', data: { code: /^request\/(unauthorized|forbidden)$/ } });
  }
  const refused = await client.get(`/api/runs/${run}`);
  expect([401, 403, 404]).toContain(refused.status);
  gate.open();
  expect((await owner.rest()).at(-1)).toMatchObject({ event: 'journal', data: { event: { type: 'run-end' } } });
});

test('a stream goes on where its token may no longer use agents that it does not show', async () => {
  const client = clientOf(at.url, TOKEN);
  const { run } = (await client.post('/api/runs', { agent: 'holder', input: 'x' })).body;
  await gate.reached();
  const all = await client.stream('/api/stream');
  const one = await client.stream(`/api/runs/${run}/events`);
  change('{ token: "ci-token-0123456789abcdef", agents: [holder], may: [see, run] }');
  expect((await all.rest()).at(-1)?.event).toBe('refused');
  gate.open();
  expect((await one.rest()).at(-1)).toMatchObject({ event: 'journal', data: { event: { type: 'run-end' } } });
});

test('a token from a variable is gone with its value', async () => {
  writeFileSync(join(at.folder, '.env'), `CI=${TOKEN}\n`);
  const listed = await clientOf(at.url, at.token).stream('/api/stream');
  change('{ token: "${CI}", may: [see] }');
  await listed.nextOf('agents');
  const stream = await clientOf(at.url, TOKEN).stream('/api/stream');
  expect((await stream.next())?.event).toBe('now');
  writeFileSync(join(at.folder, '.env'), 'CI=too-short\n');
  expect((await stream.rest()).at(-1)?.event).toBe('refused');
  expect((await clientOf(at.url, TOKEN).get('/api/runs')).status).toBe(401);
  expect((await clientOf(at.url, 'other-token-0123456789abcdef').get('/api/runs')).status).toBe(200);
  expect(at.log.join('\n')).toMatch(/A token is left out: .*tokens\.ci has 9 characters/);
});

test('an answer that is waited for is not given to a token that is gone', async () => {
  const waiting = clientOf(at.url, TOKEN).post('/api/runs?wait=5m', { agent: 'holder', input: 'x' });
  await gate.reached();
  change(undefined);
  expect((await waiting).status).toBe(401);
});

test('an open MCP session has the rights of today', async () => {
  const client = await mcpClient();
  expect(await toolNames(client)).toContain('agent__holder');
  const told = otherTools(client);
  change('{ token: "ci-token-0123456789abcdef", agents: [echo], may: [run] }');
  await told;
  expect(await toolNames(client)).toEqual(['agent__echo']);
  await expect(client.callTool({ name: 'agent__holder', arguments: { input: 'x' } })).rejects.toThrow(
    /no tool agent__holder/,
  );
  expect((await client.callTool({ name: 'echo', arguments: { input: 'x' } })).isError).not.toBe(true);
});

test.each([
  ['2025', {}],
  ['2026', { versionNegotiation: { mode: 'auto' } }],
] as const)(
  '%s: a call by MCP of a token that is removed fails at once, and its run is cancelled',
  async (_, options) => {
    const client = await mcpClient(options);
    const calling = rejection(
      client.callTool({ name: 'holder', arguments: { input: 'x' } }).then((result) => {
        throw new Error((result.content as { text: string }[])[0]?.text ?? '');
      }),
    );
    await gate.reached();
    change(undefined);
    expect((await calling).message).toMatch(/not known any more/);
    expect(await outcomeOfOnlyRun()).toBe('cancelled');
    await expect(client.listTools()).rejects.toThrow();
  },
);

test('a question that MCP asked is answered by nobody who may not approve any more', async () => {
  let isAnswered = (): void => {};
  const answered = new Promise<void>((resolve) => {
    isAnswered = resolve;
  });
  const client = await mcpClient({ capabilities: { elicitation: { form: {} } } }, (body) => {
    if (body.includes('"accept"')) isAnswered();
  });
  const told = otherTools(client);
  client.setRequestHandler('elicitation/create', async () => {
    change('{ token: "ci-token-0123456789abcdef", may: [run] }');
    await told;
    return { action: 'accept', content: { approve: true } };
  });
  const calling = client.callTool({ name: 'eraser', arguments: { input: 'x' } });
  await answered;
  const [run] = await at.runs();
  const owner = clientOf(at.url, at.token);
  const { waiting } = (await owner.get('/api/approvals')).body;
  expect(waiting).toHaveLength(1);
  await owner.post(`/api/runs/${run?.run}/ops/${waiting[0].path}/verdict`, { approved: false });
  await calling;
  expect(gate.calls).toBe(0);
});

test('the stream of an OpenAI client whose token is removed ends with its error, and the run is cancelled', async () => {
  const client = new OpenAI({ baseURL: `${at.url}/v1`, apiKey: TOKEN, maxRetries: 0 });
  const messages = [{ role: 'user', content: 'x' }] as const;
  const stream = await client.chat.completions.create({ model: 'holder', messages: [...messages], stream: true });
  const reading = rejection(
    (async () => {
      for await (const _ of stream);
    })(),
  );
  await gate.reached();
  change(undefined);
  expect((await reading).message).toMatch(/not known any more/);
  expect(await outcomeOfOnlyRun()).toBe('cancelled');
});

test('a request of an OpenAI client that waits for its answer is refused when its token is removed', async () => {
  const client = new OpenAI({ baseURL: `${at.url}/v1`, apiKey: TOKEN, maxRetries: 0 });
  const asking = rejection(client.responses.create({ model: 'holder', input: 'x' }));
  await gate.reached();
  change(undefined);
  expect((await asking).status).toBe(401);
  expect(await outcomeOfOnlyRun()).toBe('cancelled');
});

test('the stream of an Anthropic client whose token may not use the agent any more ends with its error', async () => {
  const client = new Anthropic({ baseURL: at.url, apiKey: TOKEN, maxRetries: 0 });
  const stream = client.messages.stream({
    model: 'holder',
    max_tokens: 100,
    messages: [{ role: 'user', content: 'x' }],
  });
  const reading = rejection(stream.finalMessage());
  await gate.reached();
  change('{ token: "ci-token-0123456789abcdef", agents: [echo], may: [run] }');
  expect((await reading).message).toMatch(/may not see this any more/);
});

test('a task of A2A goes on, and the stream of a token that is removed ends with an error', async () => {
  const fetchImpl: typeof fetch = (input, init) => {
    const headers = new Headers(init?.headers);
    headers.set('authorization', `Bearer ${TOKEN}`);
    return fetch(input, { ...init, headers });
  };
  const factory = new ClientFactory(
    ClientFactoryOptions.createFrom(ClientFactoryOptions.default, {
      transports: [new JsonRpcTransportFactory({ fetchImpl })],
      cardResolver: new DefaultAgentCardResolver({ fetchImpl }),
    }),
  );
  const client = await factory.createFromUrl(`${at.url}/a2a/holder/`);
  const reading = rejection(
    (async () => {
      const stream = client.sendMessageStream({
        tenant: '',
        message: {
          messageId: 'm1',
          contextId: '',
          taskId: '',
          role: Role.ROLE_USER,
          parts: [
            { content: { $case: 'text', value: 'x' }, metadata: undefined, filename: '', mediaType: 'text/plain' },
          ],
          metadata: undefined,
          extensions: [],
          referenceTaskIds: [],
        },
        configuration: undefined,
        metadata: undefined,
      });
      for await (const _ of stream);
    })(),
  );
  await gate.reached();
  change(undefined);
  expect((await reading).message).toMatch(/not known any more/);
  gate.open();
  expect(await outcomeOfOnlyRun()).toBe('answered');
});
