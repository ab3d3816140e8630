import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { eventsOf, sse } from '../../../test/support/model-server.ts';
import { user } from '../../kernel/message.ts';
import { callModel } from '../failover.ts';
import { collectEvents, sampleRequest } from '../provider.conformance.ts';
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
  (await collectEvents(provider, sampleRequest({ model: 'm', messages: [user('hi')] }))).at(-1);

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
      { resolve: async () => ({ ok: true, value: { name: 'far/m', provider, model: 'm' } }), stallMs: 50 },
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

describe.each(KINDS)('%s', (kind) => {
  test('a redirect is refused, and neither key nor conversation goes along', async () => {
    const reached: unknown[] = [];
    const elsewhere = createServer((request, response) => {
      reached.push(request.headers);
      response.end();
    });
    servers.push(elsewhere);
    await new Promise<void>((resolve) => elsewhere.listen(0, '127.0.0.1', resolve));
    const target = `http://localhost:${(elsewhere.address() as AddressInfo).port}/v1/messages`;
    const provider = await serve((response) => response.writeHead(307, { location: `${target}?k=secret` }).end(), kind);
    expect(await lastOf(provider)).toMatchObject({
      type: 'reply-fault',
      fault: {
        code: 'model/bad-request',
        message: expect.stringContaining(`far redirects (307) to ${target}. A provider's redirect is not followed`),
        details: { status: 307, location: target, unbilled: true },
      },
    });
    expect(reached).toEqual([]);
  });

  test('a page instead of a reply is a fault that says what the page says', async () => {
    const page =
      '<!doctype html><html><head><title>Sign in</title><style>b{}</style></head><body><h1>Captive\nportal</h1></body></html>';
    const provider = await serve(
      (response) => response.writeHead(200, { 'content-type': 'text/html' }).end(page),
      kind,
    );
    expect(await lastOf(provider)).toMatchObject({
      type: 'reply-fault',
      fault: {
        code: 'model/malformed',
        message: 'far answered 200 with text/html instead of a stream of events: Sign in Captive portal',
        details: { unbilled: true },
      },
    });
  });

  test.each([
    [{ error: { type: 'rate_limit_error', message: 'slow down, please' } }, 'model/rate-limit', 'slow down, please'],
    [{ error: 'no such model here' }, 'model/server', 'no such model here'],
  ])('an error object under status 200 is a fault that says what it says: %j', async (body, code, said) => {
    const provider = await serve(
      (response) => response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body)),
      kind,
    );
    expect(await lastOf(provider)).toMatchObject({
      type: 'reply-fault',
      fault: { code, message: `far answered 200 with an error: ${said}` },
    });
  });

  test('an error page says more than its status', async () => {
    const provider = await serve((response) => response.writeHead(502).end('<h1>The tunnel is closed</h1>'), kind);
    expect(await lastOf(provider)).toMatchObject({
      fault: { code: 'model/server', message: expect.stringMatching(/502: .*The tunnel is closed/) },
    });
  });

  test('events that come in pieces of a byte, after comments and blank lines, are a reply', async () => {
    const provider = await serve((response) => {
      response.writeHead(200, { 'content-type': 'text/plain' });
      const all = `\r\n\n: welcome\n\n${eventsOf(kind, { text: 'Grüße.' })
        .map((event) => sse(kind, event))
        .join('')}`;
      for (const byte of Buffer.from(all)) response.write(Uint8Array.of(byte));
      response.end();
    }, kind);
    expect(await lastOf(provider)).toMatchObject({ type: 'reply-end', message: { text: 'Grüße.' } });
  });
});

test.each([
  ['before all others', 0],
  ['in the middle', 3],
])('events of Anthropic that nobody knows are skipped %s', async (_, at) => {
  const provider = await serve((response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const events = eventsOf('anthropic', { text: 'Hello.' }).map((event) => sse('anthropic', event));
    const unknown = [
      'event: heartbeat\ndata: tick\n\n',
      'event: usage_hint\r\ndata: {"type":"usage_hint","left":3}\r\n\r\n',
      'data: {"type":"weather"}\n\n',
    ];
    response.end([...events.slice(0, at), ...unknown, ...events.slice(at)].join(''));
  }, 'anthropic');
  expect(await lastOf(provider)).toMatchObject({ type: 'reply-end', message: { text: 'Hello.' } });
});

const closedPort = async (): Promise<string> => {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}/v1`;
};

test.each([
  ['a port where nobody listens', closedPort],
  ['a name that is not found', async () => 'http://no-such-host.invalid/v1'],
])('%s cannot have cost anything', async (_, address) => {
  const provider = aiSdk('far', { kind: 'anthropic', apiKey: 'k', baseUrl: await address(), headers: {} });
  expect(await lastOf(provider)).toMatchObject({ fault: { code: 'model/network', details: { unbilled: true } } });
});

test('a server that does not speak TLS cannot have cost anything, one that hangs up may have', async () => {
  const server = createServer((_, response) => response.destroy());
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const at = (scheme: string) =>
    lastOf(aiSdk('far', { kind: 'anthropic', apiKey: 'k', baseUrl: `${scheme}://127.0.0.1:${port}/v1`, headers: {} }));
  expect(await at('https')).toMatchObject({ fault: { code: 'model/network', details: { unbilled: true } } });
  const hungUp = await at('http');
  expect(hungUp).toMatchObject({ fault: { code: 'model/network' } });
  expect(hungUp?.type === 'reply-fault' && hungUp.fault.details).toBeUndefined();
});

test('a reply is complete at its last word, also from a server that does not end the answer', async () => {
  const provider = await serve((response) => {
    stream(response, [
      {
        id: '1',
        created: 1,
        model: 'm',
        choices: [{ index: 0, delta: { content: 'All of it.' }, finish_reason: 'stop' }],
      },
    ]);
    response.write('data: [DONE]\n\n');
  });
  expect(await lastOf(provider)).toMatchObject({ type: 'reply-end', message: { text: 'All of it.' } });
});

test.each(['gzip', 'deflate', 'br'])(
  'a reply whose %s is broken is malformed, and asked for again',
  async (encoding) => {
    let calls = 0;
    const provider = await serve((response) => {
      calls += 1;
      if (calls > 1) {
        stream(response, [
          {
            id: '1',
            created: 1,
            model: 'm',
            choices: [{ index: 0, delta: { content: 'Fine.' }, finish_reason: 'stop' }],
          },
        ]);
        return void response.end('data: [DONE]\n\n');
      }
      response.writeHead(200, { 'content-type': 'text/event-stream', 'content-encoding': encoding });
      response.end('data: this is plain text and not packed at all\n\n');
    });
    const codes: string[] = [];
    const settled = await callModel(
      {
        ...sampleRequest({ messages: [user('hi')] }),
        session: '0',
        models: ['far/m'],
        maxRetries: 3,
        timeoutMs: 10_000,
        fresh: 0,
        folded: [],
      },
      {
        resolve: async (name) => ({ ok: true, value: { name, provider, model: 'm' } }),
        listener: { onAttempt: ({ fault }) => void codes.push(fault.code) },
        sleep: async () => {},
      },
      new AbortController().signal,
    );
    expect(codes).toEqual(['model/malformed']);
    expect(settled).toMatchObject({ ok: true, value: { message: { text: 'Fine.' } } });
  },
);

test('a refused key stays one, also where the page that says so is packed wrongly', async () => {
  const provider = await serve((response) => void response.writeHead(401, { 'content-encoding': 'gzip' }).end('no'));
  expect(await lastOf(provider)).toMatchObject({ type: 'reply-fault', fault: { code: 'model/refused-key' } });
});
