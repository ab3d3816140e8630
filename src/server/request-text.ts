// The body of a request as text, read to a cap.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { FaultError, fail, fault } from '../kernel/fault.ts';

/** Throws `request/too-large` before the rest of it has come. */
export async function requestText(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  const bytes = await requestBytes(incoming, maxBytes, 'server.maxBodyBytes in cadre.yaml');
  if (!isUtf8(bytes)) fail('request/invalid', 'The body is not text in UTF-8.');
  return bytes.toString('utf8');
}

/** Throws `request/too-large` before the rest of it has come. `limit` names the cap. */
export async function requestBytes(incoming: IncomingMessage, maxBytes: number, limit: string): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes, limit);
  return bytesOf(incoming, maxBytes, limit);
}

/** The chunks of a body. One whose length was told comes to lie in one piece, so that a large one is not there twice. */
class BodyBytes {
  size = 0;
  readonly #told: number;
  #whole: Buffer | undefined;
  #chunks: Buffer[] = [];

  constructor({ headers }: IncomingMessage) {
    this.#told = Number(headers['content-length'] ?? 0);
  }

  add(chunk: Buffer): void {
    this.size += chunk.length;
    if (this.#told <= chunk.length) {
      this.#chunks.push(chunk);
      return;
    }
    this.#whole ??= Buffer.allocUnsafeSlow(this.#told);
    chunk.copy(this.#whole, this.size - chunk.length);
  }

  drop(): void {
    this.#chunks = [];
    this.#whole = undefined;
  }

  all(): Buffer {
    if (this.#whole !== undefined) return this.#whole;
    return this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
  }
}

/** The bytes are read by hand: an iterator takes longer than the rest of a short request. */
function bytesOf(incoming: IncomingMessage, maxBytes: number, limit: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const body = new BodyBytes(incoming);
    let isOver = false;
    incoming.on('data', (chunk: Buffer) => {
      isOver ||= body.size + chunk.length > maxBytes;
      if (!isOver) {
        body.add(chunk);
        return;
      }
      // The rest is read and dropped until the adapter has had enough of it: a client reads its answer when it has sent all,
      // and a connection that still holds a part of this request would fail the next one.
      body.drop();
      reject(tooLarge(maxBytes, limit));
    });
    incoming.on('end', () => resolve(body.all()));
    incoming.on('error', reject);
    incoming.on('close', () => {
      if (incoming.complete) return;
      reject(new FaultError(fault('request/invalid', 'The request ended before its body did.')));
    });
  });
}

const tooLarge = (maxBytes: number, limit: string): FaultError =>
  new FaultError(fault('request/too-large', `The request is larger than ${maxBytes} bytes (${limit}).`));
