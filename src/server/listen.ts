// The listening server: its address, the limits of Node's own server, and the words for an address that it cannot have.

import type { Server } from 'node:http';
import { type AddressInfo, isIP } from 'node:net';
import { FaultError, fault } from '../kernel/fault.ts';
import type { ServerApp } from './context.ts';

const MAX_HEADER_BYTES = 16_384;
const HEADERS_MS = 20_000;
const REQUEST_MS = 120_000;

/** Rejects with `usage` if the address cannot be had. */
export async function startListening(app: ServerApp, host: string, port: number) {
  const { createAdaptorServer } = await import('@hono/node-server');
  const serverOptions = { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_MS, requestTimeout: REQUEST_MS };
  const server = createAdaptorServer({ fetch: app.fetch, serverOptions }) as Server;
  await new Promise<void>((done, refuse) => {
    server.once('error', (thrown: NodeJS.ErrnoException) => refuse(refusal(thrown, host, port)));
    server.listen(port, host, done);
  });
  const { port: found } = server.address() as AddressInfo;
  return { server, port: found, url: `http://${isIP(host) === 6 ? `[${host}]` : host}:${found}` };
}

export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host);

function refusal({ code, message }: NodeJS.ErrnoException, host: string, port: number): FaultError {
  if (code === 'EADDRINUSE') {
    return usage(`Another program listens on ${host}:${port}. Choose another one with --port, or 0 for a free one.`);
  }
  if (code === 'EACCES') return usage(`This user may not listen on port ${port}. Choose one above 1023.`);
  return usage(`The server cannot listen on ${host}:${port}: ${message}`);
}

const usage = (message: string): FaultError => new FaultError(fault('usage', message));
