// One request over HTTP on Node's own client, and its answer as bytes that are asked for one after the other. `fetch` does
// the same through several streams, which take longer than everything else in a short model call (decision 40).
// HTTP-1. It fails as `fetch` does: with a TypeError whose cause says what broke, or with the reason of the signal. A body
//     whose compression is broken fails as one of its own kind, because the connection was sound.
// HTTP-2. An answer that nobody reads is not read from the network either, beyond MOST_WAITING parts.
// HTTP-3. A connection that rests is closed before a server or a router on the way is likely to forget it.

import { Agent, type ClientRequest, type IncomingMessage, request as overHttp } from 'node:http';
import { request as overHttps, Agent as SecureAgent } from 'node:https';
import type { Socket } from 'node:net';
import type { Readable, Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

export interface HttpRequest {
  readonly url: URL;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly signal?: AbortSignal | null | undefined;
  /** Called when its last byte has left, and the answer is waited for. */
  readonly onSent?: (() => void) | undefined;
}

export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Headers;
  /** The next bytes of the body, decompressed. Undefined at its end. */
  read(): Promise<Uint8Array | undefined>;
  /** Nothing more of it is wanted, and the connection is closed. */
  cancel(): void;
  /** The reader has what it wants. If the rest comes within a moment, the connection can be used again. */
  leave(): void;
}

/** A body that is not in the encoding that its header names. */
export class BrokenEncoding extends TypeError {
  constructor(encoding: string, cause: Error) {
    super(`the body is not ${encoding}: ${cause.message}`, { cause });
  }
}

/** Does not follow redirects, and sends and keeps no cookies. */
export function httpAnswer({ url, method, headers, body, signal, onSent }: HttpRequest): Promise<HttpAnswer> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted === true) return reject(signal.reason as Error);
    const bytes = Buffer.from(body);
    const isSecure = url.protocol === 'https:';
    const sent = (isSecure ? overHttps : overHttp)(url, {
      method,
      agent: isSecure ? secureAgent : plainAgent,
      timeout: 0, // the agent's is for connections that rest
      headers: { ...headers, 'content-length': String(bytes.byteLength) },
    });
    const abort = (): void => void sent.destroy(signal?.reason as Error);
    signal?.addEventListener('abort', abort, { once: true });
    sent.once('close', () => signal?.removeEventListener('abort', abort));
    if (onSent !== undefined) sent.once('finish', onSent);
    sent.once('socket', (socket) => limitConnecting(sent, socket, isSecure));
    sent.on('error', (error) => reject(signal?.aborted === true ? error : failed('fetch failed', error)));
    sent.once('response', (incoming) => {
      const content = decompressed(incoming);
      const reader = new BodyReader(content, (error) => {
        if (signal?.aborted === true) return signal.reason as Error;
        const isUnpacking = content !== incoming && incoming.errored === null && 'errno' in error;
        return isUnpacking ? new BrokenEncoding(encodingOf(incoming), error) : failed('terminated', error);
      });
      resolve({
        status: incoming.statusCode ?? 0,
        statusText: incoming.statusMessage ?? '',
        headers: headersOf(incoming),
        read: () => reader.read(),
        cancel: () => void sent.destroy(),
        leave: () => reader.leave(() => sent.destroy()),
      });
    });
    sent.end(bytes);
  });
}

/** HTTP-1 */
const failed = (message: string, cause: Error): TypeError => new TypeError(message, { cause });

const CONNECT_MS = 10_000;

/** A host that does not answer at all would be waited for by the system for minutes. */
function limitConnecting(sent: ClientRequest, socket: Socket, isSecure: boolean): void {
  if (!socket.connecting) return;
  const late = (): void => {
    const what = { code: 'ETIMEDOUT', syscall: 'connect' };
    sent.destroy(Object.assign(new Error(`no connection within ${CONNECT_MS / 1000} s`), what));
  };
  const timer = setTimeout(late, CONNECT_MS);
  const done = (): void => clearTimeout(timer);
  socket.once(isSecure ? 'secureConnect' : 'connect', done).once('close', done);
}

function headersOf({ rawHeaders }: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at + 1 < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] as string, rawHeaders[at + 1] as string);
  return headers;
}

const encodingOf = ({ headers }: IncomingMessage): string => headers['content-encoding']?.trim().toLowerCase() ?? '';

/** None is asked for. A server that compresses all the same is understood. */
function decompressed(incoming: IncomingMessage): Readable {
  const flush = { flush: constants.Z_SYNC_FLUSH, finishFlush: constants.Z_SYNC_FLUSH };
  switch (encodingOf(incoming)) {
    case 'gzip':
    case 'x-gzip':
      return through(incoming, createGunzip(flush));
    case 'deflate':
      return through(incoming, createInflate(flush));
    case 'br':
      return through(incoming, createBrotliDecompress());
    default:
      return incoming;
  }
}

function through(incoming: IncomingMessage, plain: Transform): Readable {
  incoming.once('error', (error) => plain.destroy(error));
  plain.once('error', () => incoming.destroy());
  return incoming.pipe(plain);
}

const MOST_WAITING = 16;
/** The time that the end of an answer may take after its last word. */
const LEFT_MS = 250;

/** Parts in the order in which they came, for one reader. */
class BodyReader {
  readonly #content: Readable;
  readonly #waiting: Uint8Array[] = [];
  #asked: { resolve(part: Uint8Array | undefined): void; reject(error: Error): void } | undefined;
  #isOver = false;
  #isLeft = false;
  #broke: Error | undefined;

  /** `failure` is what the reader gets for an error of the connection. */
  constructor(content: Readable, failure: (error: Error) => Error) {
    this.#content = content;
    content.on('data', (part: Uint8Array) => this.#take(part));
    content.once('end', () => this.#end(undefined));
    content.once('error', (error) => this.#end(failure(error)));
    content.once('close', () => this.#end(failure(new Error('the connection was closed'))));
  }

  read(): Promise<Uint8Array | undefined> {
    const next = this.#waiting.shift();
    if (next !== undefined) {
      if (this.#waiting.length === 0 && this.#content.isPaused()) this.#content.resume();
      return Promise.resolve(next);
    }
    if (this.#broke !== undefined) return Promise.reject(this.#broke);
    if (this.#isOver) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#asked = { resolve, reject };
    });
  }

  leave(close: () => void): void {
    if (this.#isOver) return;
    this.#isLeft = true;
    this.#waiting.length = 0;
    this.#content.resume();
    const timer = setTimeout(close, LEFT_MS);
    this.#content.once('close', () => clearTimeout(timer));
  }

  #take(part: Uint8Array): void {
    if (this.#isLeft) return;
    const asked = this.#asked;
    this.#asked = undefined;
    if (asked !== undefined) return asked.resolve(part);
    this.#waiting.push(part);
    if (this.#waiting.length >= MOST_WAITING) this.#content.pause(); // HTTP-2
  }

  #end(broke: Error | undefined): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#broke = broke;
    const asked = this.#asked;
    this.#asked = undefined;
    if (broke === undefined) asked?.resolve(undefined);
    else asked?.reject(broke);
  }
}

/** HTTP-3. A server may say a shorter time, and Node's client heeds it. */
const RESTS_MS = 4_000;

const plainAgent = new Agent({ keepAlive: true, timeout: RESTS_MS });
const secureAgent = new SecureAgent({ keepAlive: true, timeout: RESTS_MS });
