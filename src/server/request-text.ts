// The body of a request as text, read to a cap.

import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { fail } from '../kernel/fault.ts';

/** Throws `request/too-large`, before the rest of it is read. */
export async function requestText(incoming: IncomingMessage, maxBytes: number): Promise<string> {
  const announced = Number(incoming.headers['content-length'] ?? 0);
  if (announced > maxBytes) refuseLarge(maxBytes);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of incoming) {
    size += (chunk as Buffer).length;
    if (size > maxBytes) refuseLarge(maxBytes);
    chunks.push(chunk as Buffer);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) fail('request/invalid', 'The body is not text in UTF-8.');
  return bytes.toString('utf8');
}

const refuseLarge = (maxBytes: number): never =>
  fail('request/too-large', `The request is larger than ${maxBytes} bytes (server.maxBodyBytes in cadre.yaml).`);
