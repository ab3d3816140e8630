import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ToolResult } from '../../kernel/message.ts';
import { NOTHING_SECRET } from '../../kernel/redacted.ts';
import { invoke } from '../invoke.ts';
import { isPublic, judgeHost } from './address.ts';
import type { RestDeclaration } from './declaration.ts';
import { restSource } from './source.ts';

interface Seen {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

const servers: Server[] = [];
let origin: string;
let elsewhere: string;
let seen: Seen[] = [];

async function listen(answer: (request: Seen, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      answer({ method, url, headers, body: Buffer.concat(chunks).toString() }, response);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

beforeAll(async () => {
  elsewhere = await listen((_, response) => response.end('elsewhere'));
  origin = await listen((request, response) => {
    seen.push(request);
    const json = { 'content-type': 'application/json' };
    const { pathname } = new URL(request.url, origin);
    if (pathname === '/missing') response.writeHead(404, json).end(`{"error":"${'x'.repeat(5000)}"}`);
    else if (pathname === '/empty') response.writeHead(204).end();
    else if (pathname === '/big') response.writeHead(200, json).end('ä'.repeat(100_000));
    else if (pathname === '/picture') response.writeHead(200, { 'content-type': 'image/png' }).end('12345');
    else if (pathname === '/latin')
      response.writeHead(200, { 'content-type': 'text/plain; charset=latin1' }).end(Buffer.from([0xe9]));
    else if (pathname === '/gzip') response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync('x'));
    else if (pathname === '/hang') response.writeHead(200, json).write('{');
    else if (pathname === '/moved') response.writeHead(302, { location: '/here' }).end();
    else if (pathname === '/away') response.writeHead(302, { location: `${elsewhere}/` }).end();
    else if (pathname === '/metadata') response.writeHead(302, { location: 'http://169.254.169.254/latest' }).end();
    else if (pathname === '/script') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else if (pathname === '/round') response.writeHead(302, { location: '/round' }).end();
    else if (pathname === '/reset') response.destroy();
    else response.writeHead(200, json).end('{"ok":true}');
  });
});

afterAll(() => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

async function call(declaration: Partial<RestDeclaration>, input: unknown): Promise<ToolResult> {
  seen = [];
  const source = restSource({
    name: 'probe',
    description: 'Probes.',
    method: 'GET',
    url: `${origin}/`,
    headers: {},
    parameters: { type: 'object' },
    allowPrivate: true,
    ...declaration,
  });
  const [tool] = await source.tools();
  const context = {
    signal: new AbortController().signal,
    callKey: 'run-1/0.2',
    progress: () => {},
    redactor: NOTHING_SECRET,
  };
  return await invoke(tool!, { id: '1', name: 'probe', arguments: input }, context, {
    timeoutMs: 20_000,
    capBytes: 1_000_000,
    keep: async () => 'kept',
  });
}

test('GET puts placed inputs into the path and the others into the query', async () => {
  const result = await call(
    { url: `${origin}/v1/{city}/now?units={units}` },
    { city: 'São Paulo?#&', units: 'm/s', days: 3, tags: ['a b', 'c'], deep: { x: 1 } },
  );
  expect(result).toEqual({ status: 'ok', text: '{"ok":true}' });
  expect(seen[0]).toMatchObject({
    method: 'GET',
    url: '/v1/S%C3%A3o%20Paulo%3F%23%26/now?units=m%2Fs&days=3&tags=a+b&tags=c&deep=%7B%22x%22%3A1%7D',
    body: '',
  });
});

test('POST sends what is not placed as JSON, with a key that stays the same for the same call', async () => {
  await call(
    { method: 'POST', url: `${origin}/orders/{id}`, headers: { 'X-Tenant': 't-{tenant}' } },
    { id: 7, tenant: 'acme', total: 9.5 },
  );
  expect(seen[0]).toMatchObject({
    method: 'POST',
    url: '/orders/7',
    headers: { 'x-tenant': 't-acme', 'content-type': 'application/json', 'idempotency-key': 'run-1/0.2' },
    body: '{"total":9.5}',
  });
});

test('only GET may be repeated after a crash', async () => {
  const repeat = async (method: RestDeclaration['method']) => {
    const base = { name: 'x', description: '', url: 'https://example.com/', headers: {}, parameters: true };
    return (await restSource({ ...base, method }).tools())[0]?.repeat;
  };
  expect([await repeat('GET'), await repeat('POST'), await repeat('PUT'), await repeat('DELETE')]).toEqual([
    'safe',
    'never',
    'never',
    'never',
  ]);
});

test.each([
  ['..', 'cannot be a part'],
  ['.', 'cannot be a part'],
  ['../admin', 'must not hold slashes'],
  ['a\\b', 'must not hold slashes'],
  ['a\nb', 'control characters'],
  ['', 'must not be empty'],
  [null, 'must be given'],
  [{ a: 1 }, 'must be given'],
])('the path value %j never reaches the server', async (city, reason) => {
  const result = await call({ url: `${origin}/v1/{city}` }, { city });
  expect(result.status).toBe('error');
  expect(result.text).toContain(reason);
  expect(seen).toEqual([]);
});

test('two values cannot make a step up together, and an encoded one stays encoded', async () => {
  expect((await call({ url: `${origin}/v1/{a}{b}/x` }, { a: '.', b: '.' })).text).toContain('cannot be a part');
  await call({ url: `${origin}/v1/{a}` }, { a: '%2e%2e%2fadmin' });
  expect(seen[0]?.url).toBe('/v1/%252e%252e%252fadmin');
});

test('a header value cannot begin another header', async () => {
  const result = await call({ headers: { 'x-name': '{name}' } }, { name: 'a\r\nx-admin: 1' });
  expect(result.text).toContain('one line without control characters');
  expect(seen).toEqual([]);
});

test('an answer outside 2xx is an error with status and a shortened body', async () => {
  const result = await call({ url: `${origin}/missing` }, {});
  expect(result.status).toBe('error');
  expect(result.text).toMatch(/^probe answered 404 Not Found:\n\{"error":"x+\n\[the first 2000 of 5012 characters\]$/);
});

test('a body over the cap is cut between characters and says so', async () => {
  const { text } = await call({ url: `${origin}/big`, maxBytes: 1001 }, {});
  expect(text).toBe(`${'ä'.repeat(500)}\n\n[The answer is longer: it was cut after 1001 bytes.]`);
});

test.each([
  ['/empty', '204 No Content, without content.'],
  ['/picture', '[5 bytes of image/png, not shown]'],
  ['/latin', 'é'],
])('the answer of %s is shown as %j', async (path, text) => {
  expect(await call({ url: origin + path }, {})).toEqual({ status: 'ok', text });
});

test('a compressed answer that nobody asked for is refused', async () => {
  expect((await call({ url: `${origin}/gzip` }, {})).text).toContain('encoding "gzip"');
});

test('a server that does not finish its answer in time is an error', async () => {
  expect((await call({ url: `${origin}/hang`, timeoutMs: 50 }, {})).text).toBe('probe did not answer within 50 ms.');
});

test('a broken connection is an error result', async () => {
  expect((await call({ url: `${origin}/reset` }, {})).status).toBe('error');
});

test('a redirect within the origin is followed with its headers', async () => {
  const result = await call({ url: `${origin}/moved`, headers: { authorization: 'Bearer t' } }, {});
  expect(result.text).toBe('{"ok":true}');
  expect(seen.map((one) => [one.url, one.headers.authorization])).toEqual([
    ['/moved', 'Bearer t'],
    ['/here', 'Bearer t'],
  ]);
});

test.each([
  ['/away', 'not an address of the public internet'],
  ['/metadata', '169.254.169.254 is not an address of the public internet'],
  ['/script', 'not a web address'],
  ['/round', 'more than 5 times'],
])('the redirect of %s is not followed', async (path, reason) => {
  const result = await call({ url: origin + path }, {});
  expect(result.status).toBe('error');
  expect(result.text).toContain(reason);
});

test('a redirect of a POST is not followed', async () => {
  expect((await call({ method: 'POST', url: `${origin}/moved` }, {})).text).toContain('not followed for POST');
});

test('loopback is refused without permission, by address and by name', async () => {
  const { port } = new URL(origin);
  for (const host of ['127.0.0.1', 'localhost', '2130706433', '0x7f.1', '0177.0.0.1', '[::1]', '[::ffff:127.0.0.1]']) {
    const result = await call({ url: `http://${host}:${port}/`, allowPrivate: false }, {});
    expect(result.status, host).toBe('error');
    expect(result.text, host).toContain('not an address of the public internet');
  }
  expect(seen).toEqual([]);
});

test.each([
  ['8.8.8.8', true],
  ['172.15.0.1', true],
  ['172.16.0.1', false],
  ['10.1.2.3', false],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['100.100.100.200', false],
  ['0.0.0.0', false],
  ['255.255.255.255', false],
  ['224.0.0.1', false],
  ['2606:4700::1111', true],
  ['::', false],
  ['::1', false],
  ['::ffff:10.0.0.1', false],
  ['::ffff:a00:1', false],
  ['64:ff9b::a00:1', false],
  ['2002:a00:1::', false],
  ['2001:db8::1', false],
  ['fc00::1', false],
  ['fe80::1', false],
  ['fe80::1%eth0', false],
  ['fd00:ec2::254', false],
  ['nonsense', false],
])('the address %s is public: %s', (address, expected) => {
  expect(isPublic(address)).toBe(expected);
});

test('a name is not judged before it is resolved', () => {
  expect(() => judgeHost(new URL('http://example.com'))).not.toThrow();
});

test.each([
  ['https://{host}/x', 'host of its url must be fixed'],
  ['https://user:key@example.com/', 'host of its url must be fixed'],
  ['ftp://example.com/', 'http or https'],
  ['example.com', 'http or https'],
  ['https://example.com/a/../b', '".."'],
  ['https://example.com/{nowhere}', '"{nowhere}" is not a property'],
])('the url %s is refused when the source is made', (url, reason) => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const declaration = { name: 'x', description: '', method: 'GET', url, headers: {}, parameters } as const;
  expect(() => restSource(declaration)).toThrow(reason);
});

test('headers that frame the request cannot be set', () => {
  const base = { name: 'x', description: '', method: 'GET', url: 'https://example.com', parameters: true } as const;
  expect(() => restSource({ ...base, headers: { Host: 'evil' } })).toThrow('not yours to set');
});
