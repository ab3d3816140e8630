// A line between a client and a server that a test can cut, or let lie dead: a network that fails.

import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server, type Socket } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** Ends every connection, and refuses new ones. */
  cut(): void;
  /** Nothing passes any more, and nobody is told: what a partition looks like. */
  silence(): void;
  /** Drops the server's answer from now on; when it has answered, the line is cut. */
  loseNextAnswer(): void;
  /** All is well again, for new connections. */
  heal(): void;
  close(): Promise<void>;
}

type Mode = 'well' | 'cut' | 'silent' | 'losing';

export async function tcpProxy(target: { readonly host: string; readonly port: number }): Promise<TcpProxy> {
  const open = new Set<Socket>();
  let mode: Mode = 'well';
  const server: Server = createServer((client) => {
    if (mode === 'cut') return void client.destroy();
    const upstream = connect(target.port, target.host);
    const end = (): void => {
      for (const one of [client, upstream]) {
        open.delete(one);
        one.destroy();
      }
    };
    for (const one of [client, upstream]) {
      open.add(one);
      one.on('error', end).on('close', end);
    }
    client.on('data', (bytes) => void (mode !== 'silent' && upstream.write(bytes)));
    upstream.on('data', (bytes) => {
      if (mode === 'losing') return end();
      if (mode !== 'silent') client.write(bytes);
    });
    return undefined;
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endAll = (): void => {
    for (const one of open) one.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      mode = 'cut';
      endAll();
    },
    silence() {
      mode = 'silent';
    },
    loseNextAnswer() {
      mode = 'losing';
    },
    heal() {
      const wasSilent = mode === 'silent';
      mode = 'well';
      if (wasSilent) endAll(); // what was sent meanwhile is lost, so these streams are worth nothing
    },
    close() {
      endAll();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** The same address, by way of the proxy. */
export function through({ port }: TcpProxy, address: string): string {
  const url = new URL(address);
  url.port = String(port);
  return url.href;
}
