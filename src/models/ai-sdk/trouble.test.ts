import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { user } from '../../kernel/message.ts';
import { callModel } from '../failover.ts';
import { collect, sampleRequest } from '../provider.conformance.ts';
import type { ModelEvent, ModelProvider } from '../provider.ts';
import type { Access } from './access.ts';
import { aiSdk } from './ai-sdk.ts';

/** The first half of a reply in each wire protocol. */
const BEGINNINGS: Readonly<Record<Access['kind'], readonly object[]>> = {
  openai: [
    { type: 'response.created', response: { id: 'r', created_at: 1, model: 'm' } },
    { type: 'response.output_item.added', output_index: 0, item: { type: 'message', id: 'i' } },
    { type: 'response.output_text.delta', item_id: 'i', delta: 'Half of' },
  ],
  anthropic: [
    { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Half of' } },
  ],
  google: [{ candidates: [{ content: { parts: [{ text: 'Half of' }], role: 'model' } }] }],
  'openai-compatible': [{ id: '1', created: 1, model: 'm', choices: [{ index: 0, delta: { content: 'Half of' } }] }],
};
const KINDS = Object.keys(BEGINNINGS) as readonly Access['kind'][];

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: (response: ServerResponse) => void, kind: Access['kind'] = 'openai-compatible') {
  const server = createServer((_, response) => answer(response));
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return aiSdk('far', { kind, apiKey: 'key', baseUrl: `http://127.0.0.1:${port}/v1`, headers: {} });
}

function stream(response: ServerResponse, chunks: readonly object[]): void {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const chunk of chunks) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
}

const lastOf = async (provider: ModelProvider): Promise<ModelEvent | undefined> =>
  (await collect(provider, sampleRequest({ model: 'm', messages: [user('hi')] }))).at(-1);

describe.each(KINDS)('%s', (kind) => {
  test.each([
    [429, 'model/rate-limit'],
    [500, 'model/server'],
    [503, 'model/server'],
    [529, 'model/server'],
    [401, 'model/refused-key'],
    [403, 'model/refused-key'],
    [400, 'model/bad-request'],
    [404, 'model/bad-request'],
  ])('status %i is %s', async (status, code) => {
    const provider = await serve((response) => response.writeHead(status).end('{"error":{"message":"no"}}'), kind);
    expect(await lastOf(provider)).toMatchObject({ type: 'reply-fault', fault: { code, details: { status } } });
  });

  test('a stream that ends in the middle is cut off', async () => {
    const provider = await serve((response) => {
      stream(response, BEGINNINGS[kind]);
      response.end();
    }, kind);
    expect(await lastOf(provider)).toMatchObject({ type: 'reply-fault', fault: { code: 'model/cut-off' } });
  });

  test('a connection that is reset in the middle is a network fault', async () => {
    const provider = await serve((response) => {
      stream(response, BEGINNINGS[kind]);
      setImmediate(() => response.destroy());
    }, kind);
    expect(await lastOf(provider)).toMatchObject({ type: 'reply-fault', fault: { code: 'model/network' } });
  });

  test('a connection that is reset at once is a network fault', async () => {
    const provider = await serve((response) => response.destroy(), kind);
    expect(await lastOf(provider)).toMatchObject({ type: 'reply-fault', fault: { code: 'model/network' } });
  });

  test('a stream that stops arriving is noticed, and ended at the server too', async () => {
    let hungUp: () => void;
    const gone = new Promise<void>((resolve) => {
      hungUp = resolve;
    });
    const provider = await serve((response) => {
      stream(response, BEGINNINGS[kind]);
      response.on('close', () => hungUp());
    }, kind);
    const settled = await callModel(
      {
        ...sampleRequest({ messages: [user('hi')] }),
        models: ['far/m'],
        maxRetries: 1,
        timeoutMs: 60_000,
        fresh: 0,
        folded: [],
      },
      { resolve: () => ({ ok: true, value: { name: 'far/m', provider, model: 'm' } }), stallMs: 50 },
      new AbortController().signal,
    );
    expect(settled).toMatchObject({ ok: false, fault: { code: 'model/stalled' } });
    await gone;
  });

  test('something that is no reply at all is a fault that another try may help', async () => {
    const provider = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('data: {"half": \n\n');
    }, kind);
    // Anthropic's package makes an error 500 of whatever comes instead of a first event.
    const code = kind === 'anthropic' ? 'model/server' : 'model/malformed';
    expect(await lastOf(provider)).toMatchObject({ type: 'reply-fault', fault: { code } });
  });
});

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after-ms': '150' }, 150],
  [{}, undefined],
])('the time to wait is taken from %j', async (headers, retryAfterMs) => {
  const provider = await serve((response) => response.writeHead(429, headers).end('{}'));
  expect((await lastOf(provider)) as { retryAfterMs?: number }).toMatchObject({
    type: 'reply-fault',
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
});

test('a server that is not there is a network fault that says so', async () => {
  const provider = aiSdk('far', { kind: 'openai-compatible', baseUrl: 'http://127.0.0.1:9/v1', headers: {} });
  expect(await lastOf(provider)).toMatchObject({
    type: 'reply-fault',
    fault: { code: 'model/network', message: expect.stringContaining('far could not be reached') },
  });
});

const toolChunk = (given: string, finish: string | null) => ({
  id: '1',
  created: 1,
  model: 'm',
  choices: [
    {
      index: 0,
      delta: {
        tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'list_files', arguments: given } }],
      },
      finish_reason: finish,
    },
  ],
});

test('arguments that are not JSON keep their raw text', async () => {
  const provider = await serve((response) => {
    stream(response, [toolChunk('{"path": ', 'tool_calls')]);
    response.end('data: [DONE]\n\n');
  });
  expect(await lastOf(provider)).toMatchObject({
    type: 'reply-end',
    message: { calls: [{ name: 'list_files', arguments: null, malformed: '{"path": ' }] },
  });
});

test('an error in the middle of a stream is classified by its name', async () => {
  const provider = await serve((response) => {
    stream(response, [
      ...BEGINNINGS.anthropic,
      { type: 'error', error: { type: 'overloaded_error', message: 'busy' } },
    ]);
    response.end();
  }, 'anthropic');
  expect(await lastOf(provider)).toMatchObject({ type: 'reply-fault', fault: { code: 'model/server' } });
});
