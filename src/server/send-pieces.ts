// Writes a long body as fast as its client reads it, and in slices: other requests are answered in between.

import type { ServerResponse } from 'node:http';
import { openSlice } from '../journal/slices.ts';

/** Characters that are written at once. */
const CHUNK = 65_536;

/**
 * Settles when all is written, or the client has gone. What fails before anything is written is thrown; what fails later
 * breaks the connection off.
 */
export async function sendPieces(
  outgoing: ServerResponse,
  type: string,
  pieces: Iterable<string> | AsyncIterable<string>,
): Promise<void> {
  const slice = openSlice();
  const write = (text: string): boolean => {
    if (!outgoing.headersSent)
      outgoing.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-store' });
    return outgoing.write(text);
  };
  let chunk = '';
  try {
    for await (const piece of pieces) {
      if (outgoing.destroyed) return;
      chunk += piece;
      if (chunk.length >= CHUNK) {
        if (!write(chunk)) await drained(outgoing);
        chunk = '';
      }
      if (slice.isOver()) await slice.rest();
    }
  } catch (thrown) {
    if (outgoing.headersSent) outgoing.destroy();
    throw thrown;
  }
  write(chunk);
  outgoing.end();
}

/** Settles when the client has read enough, or has gone. */
const drained = (outgoing: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const go = (): void => {
      outgoing.off('drain', go).off('close', go);
      resolve();
    };
    if (outgoing.destroyed) resolve();
    else outgoing.once('drain', go).once('close', go);
  });
