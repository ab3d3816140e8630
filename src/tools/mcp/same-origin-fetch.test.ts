// The headers of an MCP server when it redirects.

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import type { McpServer } from './server.ts';
import { mcpSource } from './source.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const open = (url: string) =>
  mcpSource({ kind: 'http', name: 'far', url, headers: { 'x-api-key': 'sealed' } } as unknown as McpServer);

test('an MCP server that redirects to another origin is refused, and nothing of ours gets there', async () => {
  const reached: unknown[] = [];
  const elsewhere = await serve((request, response) => {
    reached.push(request.headers);
    response.writeHead(404).end();
  });
  const url = await serve((_, response) => response.writeHead(307, { location: `${elsewhere}/mcp?token=t` }).end());
  const source = open(`${url}/mcp`);
  await expect(source.tools()).rejects.toMatchObject({
    fault: {
      code: 'tool/source',
      message: expect.stringContaining(`redirects (307) to ${elsewhere}/mcp, which is not`),
    },
  });
  await source.close();
  expect(reached).toEqual([]);
});

test('a redirect within the origin is followed, with the headers of the server', async () => {
  const seen: string[] = [];
  const url = await serve((request, response) => {
    seen.push(`${request.url} ${String(request.headers['x-api-key'])}`);
    if (request.url === '/mcp') response.writeHead(308, { location: '/mcp/' }).end();
    else response.writeHead(503).end('closed today');
  });
  const source = open(`${url}/mcp`);
  await expect(source.tools()).rejects.toMatchObject({ fault: { code: 'tool/source' } });
  await source.close();
  expect(seen.slice(0, 2)).toEqual(['/mcp sealed', '/mcp/ sealed']);
});
