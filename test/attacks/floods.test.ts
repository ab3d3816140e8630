// Servers that send more than anybody can hold: model replies, error bodies, compressed bodies and MCP over HTTP,
// through the built command line. What goes over a cap is not read any further, and the fault names the cap.

import { gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { NOTHING_SECRET } from '../../src/kernel/redacted.ts';
import { mcpSource } from '../../src/tools/mcp/source.ts';
import { type Folder, folderWith } from '../support/cli.ts';
import { eventsOf, sse, type WireKind } from '../support/model-server.ts';
import { type Flood, flood } from './fixtures/flood.ts';

const MiB = 1024 * 1024;
const folders: Folder[] = [];
const servers: Flood[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) folder.remove();
  for (const server of servers.splice(0)) await server.close();
});

async function pouring(...args: Parameters<typeof flood>): Promise<Flood> {
  const server = await flood(...args);
  servers.push(server);
  return server;
}

function cadreOf(server: Flood, kind: WireKind): Folder {
  const base = kind === 'google' ? '/v1beta' : '/v1';
  const folder = folderWith({
    'cadre.yaml':
      `providers: { far: { kind: ${kind}, baseUrl: "${server.url}${base}", apiKey: "\${KEY}" } }\n` +
      'defaults: { models: [far/m] }\n',
    'clerk.md': '---\ndescription: d\nmaxRetries: 1\n---\nYou work.\n',
  });
  folders.push(folder);
  return folder;
}

const ask = (folder: Folder) => folder.cadre(['run', 'clerk', 'go'], { env: { KEY: 'k-12345678901234567890' } });

/** A beginning of a reply, then text without end. */
const begin: Readonly<Record<WireKind, string>> = {
  anthropic: [
    { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 1, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
  ]
    .map((event) => sse('anthropic', event))
    .join(''),
  openai: sse('openai', { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } }),
  'openai-compatible': '',
  google: '',
};
const word = 'word '.repeat(10_000);
const delta = (kind: WireKind): string => {
  if (kind === 'anthropic')
    return sse(kind, { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: word } });
  if (kind === 'openai') return sse(kind, { type: 'response.output_text.delta', item_id: 'i', delta: word });
  return sse(kind, eventsOf(kind, { text: word })[0] as object).replace(/,"finishReason":"STOP"/, '');
};

test.each(['anthropic', 'openai', 'openai-compatible', 'google'] as const)(
  'a reply of %s that does not end is cut off at 64 MiB',
  { timeout: 120_000 },
  async (kind) => {
    const server = await pouring((_request, _body, response, pour) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(begin[kind]);
      pour(response, delta(kind));
    });
    const { exit, stderr } = await ask(cadreOf(server, kind));
    expect([exit, stderr]).toEqual([1, expect.stringContaining('sent an answer of more than 64 MiB')]);
    expect(server.sent).toBeLessThan(100 * MiB);
  },
);

test.each(['anthropic', 'openai-compatible'] as const)('an event of %s that does not end is cut off', async (kind) => {
  const server = await pouring((_request, _body, response, pour) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: "');
    pour(response, 'x'.repeat(65_536));
  });
  const { exit, stderr } = await ask(cadreOf(server, kind));
  expect([exit, stderr]).toEqual([1, expect.stringContaining('sent an event of more than 16 MiB')]);
  expect(server.sent).toBeLessThan(50 * MiB);
});

test('blank space before a reply is not waited through without end', async () => {
  const server = await pouring((_request, _body, response, pour) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    pour(response, ' '.repeat(65_536));
  });
  const { exit, stderr } = await ask(cadreOf(server, 'anthropic'));
  expect([exit, stderr]).toEqual([1, expect.stringContaining('sent an event of more than 16 MiB')]);
});

test.each([400, 429, 500])('the body of an error %i that does not end is cut off', async (status) => {
  const server = await pouring((_request, _body, response, pour) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.write('{"error":{"message":"');
    pour(response, 'x'.repeat(65_536));
  });
  const { exit, stderr } = await ask(cadreOf(server, 'openai-compatible'));
  expect([exit, stderr]).toEqual([1, expect.stringContaining('sent an answer of more than 16 MiB')]);
  expect(stderr).toContain('model/malformed');
  expect(server.sent).toBeLessThan(50 * MiB);
});

test('a small body that unpacks to a large one is counted as it unpacks', async () => {
  const bomb = gzipSync(Buffer.alloc(300 * MiB, 'x'));
  const server = await pouring((_request, _body, response) => {
    response.writeHead(500, { 'content-type': 'text/plain', 'content-encoding': 'gzip' });
    response.end(bomb);
  });
  const { exit, stderr } = await ask(cadreOf(server, 'openai-compatible'));
  expect([exit, stderr]).toEqual([1, expect.stringContaining('sent an answer of more than 16 MiB')]);
});

const RESULT = {
  initialize: (version: unknown) => ({
    protocolVersion: version,
    capabilities: { tools: {} },
    serverInfo: { name: 'far', version: '1' },
  }),
  list: { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
};

/** An MCP server that is honest until its tool is called. */
const untilCalled =
  (
    call: (
      id: unknown,
      ...rest: [Parameters<Parameters<typeof flood>[0]>[2], Parameters<Parameters<typeof flood>[0]>[3]]
    ) => void,
  ) =>
  (...[request, body, response, pour]: Parameters<Parameters<typeof flood>[0]>): void => {
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body) as { id: unknown; method: string; params: Record<string, unknown> };
    const answer = (result: unknown): void => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    };
    if (id === undefined) return void response.writeHead(202).end();
    if (method === 'initialize') return answer(RESULT.initialize(params['protocolVersion']));
    if (method === 'tools/list') return answer(RESULT.list);
    if (method === 'tools/call') return call(id, response, pour);
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_601, message: 'no such method' } }));
  };

test.each([
  ['a JSON body', 'application/json', '{"x":"', /it sent an answer of more than 16 MiB/],
  ['an event', 'text/event-stream', 'data: {"x":"', /it sent an event of more than 16 MiB/],
])('%s of an MCP server over HTTP that does not end fails the call', async (_what, type, first, told) => {
  const server = await pouring(
    untilCalled((_id, response, pour) => {
      response.writeHead(200, { 'content-type': type });
      response.write(first);
      pour(response, 'x'.repeat(65_536));
    }),
  );
  const source = mcpSource({ name: 'far', kind: 'http', url: `${server.url}/mcp`, headers: {} }, { restartPauseMs: 1 });
  try {
    const [echo] = await source.tools();
    const { signal } = new AbortController();
    const result = await echo?.execute({}, { signal, callKey: 'k', progress() {}, redactor: NOTHING_SECRET });
    expect(result).toMatchObject({ status: 'error', text: expect.stringMatching(told) as string });
    expect(server.sent).toBeLessThan(50 * MiB);
    await expect(source.tools()).resolves.toHaveLength(1);
  } finally {
    await source.close();
  }
});

test('many small events of an MCP server over HTTP are cut off at 64 MiB, and deep ones at once', async () => {
  const pieces = [': nothing\n\n'.repeat(6000), `data: ${'['.repeat(3000)}\n\n`];
  const told = ['it sent an answer of more than 64 MiB', 'it sent JSON that is nested more than 200 levels deep'];
  for (const [at, piece] of pieces.entries()) {
    const server = await pouring(
      untilCalled((_id, response, pour) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        pour(response, piece);
      }),
    );
    const source = mcpSource({ name: 'far', kind: 'http', url: `${server.url}/mcp`, headers: {} });
    try {
      const [echo] = await source.tools();
      const { signal } = new AbortController();
      const result = await echo?.execute({}, { signal, callKey: 'k', progress() {}, redactor: NOTHING_SECRET });
      expect(result).toMatchObject({ status: 'error', text: expect.stringContaining(told[at] ?? '') as string });
    } finally {
      await source.close();
    }
  }
});
