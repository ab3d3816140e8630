// One HTTP/2 address before several workers, as a load balancer is: streams go to the workers that are well in turn, and
// those of a worker that is not are cut. Whether a worker is well is asked on its second port.

import {
  type ClientHttp2Session,
  connect,
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';

export interface Backend {
  readonly port: number;
  readonly healthPort: number;
}

export interface H2Proxy {
  readonly url: string;
  /** The number of workers that are well. */
  readonly well: number;
  close(): Promise<void>;
}

const CHECK_MS = 100;
/** A loaded machine may be late. */
const LATE_MS = 2000;

export async function h2Proxy(backends: readonly Backend[]): Promise<H2Proxy> {
  const sessions = new Map<Backend, ClientHttp2Session>();
  const callers = new Set<ServerHttp2Session>();
  let turn = 0;

  const check = async (backend: Backend): Promise<void> => {
    const url = `http://127.0.0.1:${backend.healthPort}/health`;
    const isWell = await fetch(url, { signal: AbortSignal.timeout(LATE_MS) }).then(
      ({ ok }) => ok,
      () => false,
    );
    const open = sessions.get(backend);
    if (!isWell) {
      sessions.delete(backend);
      open?.destroy();
    } else if (open === undefined || open.closed || open.destroyed) {
      const session = connect(`http://127.0.0.1:${backend.port}`);
      session.on('error', () => sessions.delete(backend));
      session.on('close', () => sessions.get(backend) === session && sessions.delete(backend));
      sessions.set(backend, session);
    }
  };
  let isOver = false;
  const checking = backends.map(async (backend) => {
    while (!isOver) {
      await check(backend);
      await new Promise((resolve) => setTimeout(resolve, CHECK_MS));
    }
  });

  const pass = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders): void => {
    const well = [...sessions.values()];
    const session = well[turn++ % Math.max(1, well.length)];
    stream.on('error', () => {});
    if (session === undefined || session.closed || session.destroyed) {
      stream.respond({ ':status': 503 });
      stream.end();
      return;
    }
    const upstream = session.request(headers, { endStream: false });
    upstream.on('response', (answer) => {
      if (!stream.destroyed) stream.respond(answer);
    });
    upstream.on('error', () => stream.close(constants.NGHTTP2_INTERNAL_ERROR));
    // The unsent part of a dead worker's answer ends like that of a living one. Restate would wait for the rest of it.
    upstream.on('end', () => {
      if (!upstream.aborted && upstream.rstCode === constants.NGHTTP2_NO_ERROR) stream.end();
    });
    upstream.on('close', () => {
      if (!stream.writableEnded) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
    });
    stream.on('close', () => upstream.close(constants.NGHTTP2_CANCEL));
    stream.pipe(upstream);
    upstream.pipe(stream, { end: false });
  };
  const server = createServer();
  server.on('session', (session) => {
    callers.add(session);
    session.on('error', () => {});
    session.once('close', () => callers.delete(session));
  });
  server.on('stream', pass);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get well() {
      return sessions.size;
    },
    async close() {
      isOver = true;
      await Promise.all(checking);
      for (const session of [...sessions.values(), ...callers]) session.destroy();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
