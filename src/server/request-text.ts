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

/** The bytes are read by hand: an iterator takes longer than the rest of a short request. */
function bytesOf(incoming: IncomingMessage, maxBytes: number, limit: string): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    incoming.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) {
        chunks.push(chunk);
        return;
      }
      // The rest is read and dropped until the adapter has had enough of it: a client reads its answer when it has sent all,
      // and a connection that still holds a part of this request would fail the next one.
      chunks.length = 0;
      reject(tooLarge(maxBytes, limit));
    });
    incoming.on('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    incoming.on('error', reject);
    incoming.on('close', () => {
      if (incoming.complete) return;
      reject(new FaultError(fault('request/invalid', 'The request ended before its body did.')));
    });
  });
}

const tooLarge = (maxBytes: number, limit: string): FaultError =>
  new FaultError(fault('request/too-large', `The request is larger than ${maxBytes} bytes (${limit}).`));
