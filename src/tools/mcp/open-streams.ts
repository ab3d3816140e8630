// The streams that an MCP server over HTTP keeps open to tell us things later. Node's fetch does not hand out its
// sockets, and an open one keeps the process alive; its diagnostics channel tells which socket a request went out on.
// Where no channel tells (another runtime), a stream keeps the process alive until it is closed.

import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';

const SENT = 'undici:client:sendHeaders';

export class OpenStreams {
  private readonly sockets = new Set<Socket>();
  private readonly address: URL;
  private isAwaited = true;

  constructor(url: string) {
    this.address = new URL(url);
    subscribe(SENT, this.hear);
  }

  private readonly hear = (message: unknown): void => {
    const { request, socket } = message as {
      readonly request?: { readonly origin?: unknown; readonly path?: unknown; readonly method?: unknown };
      readonly socket?: Socket;
    };
    if (socket === undefined || request?.method !== 'GET') return;
    const { origin, pathname, search } = this.address;
    if (String(request.origin) !== origin || request.path !== `${pathname}${search}`) return;
    this.sockets.add(socket);
    socket.once('close', () => this.sockets.delete(socket));
    if (!this.isAwaited) socket.unref();
  };

  /** Says if a caller waits for the server. If none does, its streams do not keep this process alive. */
  awaited(isAwaited: boolean): void {
    this.isAwaited = isAwaited;
    for (const socket of this.sockets) {
      if (isAwaited) socket.ref();
      else socket.unref();
    }
  }

  close(): void {
    unsubscribe(SENT, this.hear);
  }
}
