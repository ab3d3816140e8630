import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { findLocalServers, type Port } from './local.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function listen(name: string, answer: RequestListener): Promise<Port> {
  const server = createServer(answer);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { name, port: (server.address() as AddressInfo).port };
}

test('a server that lists models is found with them, and everything else is not', async () => {
  const ports = [
    await listen('good', (request, response) =>
      response.end(request.url === '/v1/models' ? '{"data":[{"id":"small"},{"id":"large"},{}]}' : '{}'),
    ),
    await listen('web page', (_, response) => response.end('<html>')),
    await listen('other JSON', (_, response) => response.end('{"hello":1}')),
    await listen('error', (_, response) => response.writeHead(500).end('{"data":[]}')),
    await listen('silent', () => {}),
    await listen('elsewhere', (_, response) => response.writeHead(302, { location: '/v1/models2' }).end()),
    { name: 'nobody', port: 9 },
  ];
  expect(await findLocalServers(ports, 200)).toEqual([
    { name: 'good', baseUrl: `http://127.0.0.1:${ports[0]?.port}/v1`, models: ['small', 'large'] },
  ]);
});
