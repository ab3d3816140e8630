import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import { BrokenEncoding, type HttpAnswer, type HttpRequest, httpAnswer } from './http-answer.ts';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

interface Serving {
  readonly url: URL;
  /** The number of connections that were made, and of those that were closed. */
  connections(): number;
  closed(): number;
}

async function serving(listener: RequestListener): Promise<Serving> {
  const server = createServer(listener);
  let connections = 0;
  let closed = 0;
  server.on('connection', (socket) => {
    connections++;
    socket.once('close', () => closed++);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: new URL(`http://127.0.0.1:${port}/v1/chat?x=1`), connections: () => connections, closed: () => closed };
}

const asked = (url: URL, over: Partial<HttpRequest> = {}): Promise<HttpAnswer> =>
  httpAnswer({ url, method: 'POST', headers: { 'x-team': 'blue' }, body: '{"a":"ü"}', ...over });

async function whole({ read }: HttpAnswer): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let part = await read(); part !== undefined; part = await read()) parts.push(part);
  return Buffer.concat(parts).toString();
}

test('a request goes out as it is given, and its answer comes with status, headers and body', async () => {
  const { url } = await serving((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      const { method, url: path, headers } = request;
      response.writeHead(418, { 'content-type': 'application/json', 'set-cookie': ['a=1', 'b=2'] });
      response.end(JSON.stringify({ method, path, team: headers['x-team'], length: headers['content-length'], body }));
    });
  });
  const answer = await asked(url);
  expect(answer.status).toBe(418);
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
  expect(JSON.parse(await whole(answer))).toEqual({
    method: 'POST',
    path: '/v1/chat?x=1',
    team: 'blue',
    length: '10',
    body: '{"a":"ü"}',
  });
  expect(await answer.read()).toBeUndefined();
});

test.each([
  ['gzip', gzipSync],
  ['deflate', deflateSync],
  ['br', brotliCompressSync],
] as const)('a body in %s is unpacked, though none was asked for', async (encoding, pack) => {
  const { url } = await serving((request, response) => {
    expect(request.headers['accept-encoding']).toBeUndefined();
    response.writeHead(200, { 'content-encoding': encoding }).end(pack('a long text '.repeat(1000)));
  });
  expect(await whole(await asked(url))).toBe('a long text '.repeat(1000));
});

test('a packed body that is cut off fails, and does not end as if it were whole', async () => {
  const { url } = await serving((_, response) => {
    const packed = gzipSync(Buffer.from(Array.from({ length: 50_000 }, (__, index) => index % 251)));
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-length': packed.length });
    response.write(packed.subarray(0, packed.length / 2), () => response.destroy());
  });
  const answer = await asked(url);
  await expect(whole(answer)).rejects.toThrow('terminated');
});

test.each([
  ['gzip', Buffer.from('not that at all')],
  ['deflate', Buffer.from('not that at all')],
  ['br', Buffer.from('not that at all')],
  ['gzip', Buffer.concat([gzipSync('a text that begins well '.repeat(50)).subarray(0, 40), Buffer.alloc(60, 255)])],
] as const)('a body whose %s is broken says so, because the connection was sound', async (encoding, body) => {
  const { url } = await serving(
    (_, response) => void response.writeHead(200, { 'content-encoding': encoding }).end(body),
  );
  const failed: unknown = await asked(url)
    .then(whole)
    .catch((thrown: unknown) => thrown);
  expect(failed).toBeInstanceOf(BrokenEncoding);
  expect((failed as Error).message).toContain(`is not ${encoding}`);
});

test('the caller is told when the request has left, and not only when its answer comes', async () => {
  const answers: (() => void)[] = [];
  const { url } = await serving((_, response) => void answers.push(() => response.end('fine')));
  let left = (): void => {};
  const isSent = new Promise<void>((resolve) => (left = resolve));
  const answering = asked(url, { onSent: left });
  await isSent;
  for (;;) {
    const answer = answers.pop();
    if (answer !== undefined) {
      answer();
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(await whole(await answering)).toBe('fine');
});

test('a second request goes over the connection of the first', async () => {
  const { url, connections } = await serving((_, response) => void response.end('data: all\n\n'));
  for (let count = 0; count < 3; count++) await whole(await asked(url));
  expect(connections()).toBe(1);
});

test('an answer that is left at its last word does not close the connection, and one that is cancelled does', async () => {
  let end = (): void => {};
  const { url, closed } = await serving((_, response) => {
    response.write('data: the last word\n\n');
    end = () => void response.end();
  });
  const first = async (): Promise<HttpAnswer> => {
    const answer = await asked(url);
    await answer.read();
    return answer;
  };
  (await first()).leave();
  end();
  const other = await first();
  end();
  await whole(other);
  expect(closed()).toBe(0);
  (await first()).cancel();
  await expect.poll(closed).toBe(1);
});

test('a server that is not there, and one that hangs up, fail as fetch does: with the code of the system as the cause', async () => {
  const { url } = await serving((request) => request.socket.destroy());
  await expect(asked(url)).rejects.toMatchObject({
    name: 'TypeError',
    message: 'fetch failed',
    cause: { code: 'ECONNRESET' },
  });
  const gone = servers.splice(0);
  for (const server of gone) await new Promise((resolve) => server.close(resolve));
  await expect(asked(url)).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNREFUSED' } });
});

test('a connection that breaks in the middle of the body gives what came, and then fails', async () => {
  const { url } = await serving((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: half', () => response.destroy());
  });
  const { read } = await asked(url);
  expect(Buffer.from((await read()) ?? []).toString()).toBe('data: half');
  await expect(read()).rejects.toMatchObject({ message: 'terminated', cause: { code: 'ECONNRESET' } });
  await expect(read()).rejects.toThrow('terminated');
});

test('an abort ends a request before it is sent, before it is answered, and in the middle of its body', async () => {
  let hangUp = (): void => {};
  const { url } = await serving((_, response) => {
    response.once('close', () => hangUp());
    response.writeHead(200).write('begun');
  });
  const why = new Error('stopped');
  await expect(asked(url, { signal: AbortSignal.abort(why) })).rejects.toBe(why);

  const silent = await serving(() => before.abort(why));
  const before = new AbortController();
  await expect(asked(silent.url, { signal: before.signal })).rejects.toBe(why);

  const middle = new AbortController();
  const hungUp = new Promise<void>((resolve) => (hangUp = resolve));
  const { read } = await asked(url, { signal: middle.signal });
  await read();
  const next = read();
  middle.abort(why);
  await expect(next).rejects.toBe(why);
  await hungUp; // the server sees it too
});

test('a body that nobody reads is not taken from the network', async () => {
  const MOST = 512;
  const part = Buffer.alloc(1024 * 1024);
  let sent = 0;
  let closed = (): void => {};
  const isClosed = new Promise<void>((resolve) => (closed = resolve));
  const { url } = await serving((_, response) => {
    response.once('close', closed);
    const more = (): void => {
      while (sent < MOST) {
        sent++;
        if (!response.write(part)) return void response.once('drain', more);
      }
      response.end();
    };
    more();
  });
  const answer = await asked(url);
  await answer.read();
  answer.cancel();
  await isClosed;
  expect(sent).toBeLessThan(MOST);
});
