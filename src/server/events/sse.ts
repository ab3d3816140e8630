// One reader of a stream of server-sent events, on the response of Node. Memory for it is bounded: what it has not
// read yet is at most what `isBlocked` allows and one more chunk. One that reads nothing for a minute is cut off, and
// goes on from its last id when it asks again.

import type { ServerResponse } from 'node:http';
import { faultOf } from '../../kernel/fault.ts';

/** Bytes that may wait for a reader. */
const MOST_WAITING = 65_536;
/** The time that a reader may take to read them. */
const CUT_OFF_MS = 60_000;

export interface SseReader {
  readonly isClosed: boolean;
  /** True if it has too much to read already. */
  readonly isBlocked: boolean;
  send(chunk: string): void;
  /** Called once, when it can take more. */
  whenDrained(go: () => void): void;
  end(): void;
}

const HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-store',
  'x-accel-buffering': 'no',
} as const;

/** `closed` is called once, when the reader has gone or was cut off. */
export function openSse(outgoing: ServerResponse, closed: () => void, cutOffMs: number = CUT_OFF_MS): SseReader {
  let isClosed = false;
  let stuck: NodeJS.Timeout | undefined;
  const { socket } = outgoing;
  socket?.cork(); // the head and what is sent in the same turn go out as one packet
  outgoing.writeHead(200, HEADERS);
  outgoing.flushHeaders();
  process.nextTick(() => socket?.uncork());
  outgoing.on('close', () => {
    isClosed = true;
    clearTimeout(stuck);
    closed();
  });
  outgoing.on('error', () => {}); // `close` follows
  return {
    get isClosed() {
      return isClosed;
    },
    get isBlocked() {
      return outgoing.writableLength > MOST_WAITING;
    },
    send(chunk) {
      if (!isClosed) outgoing.write(chunk);
    },
    whenDrained(go) {
      stuck = setTimeout(() => outgoing.destroy(), cutOffMs);
      outgoing.once('drain', () => {
        clearTimeout(stuck);
        go();
      });
    },
    end() {
      if (!isClosed) outgoing.end();
    },
  };
}

/** The last word to a reader that may read no more. */
export function endRefused(reader: SseReader, { reason }: AbortSignal): void {
  const { code, message } = faultOf(reason);
  reader.send(sseChunk('refused', { code, detail: message }));
  reader.end();
}

/** `id` is left out for what a client cannot ask for again. */
export function sseChunk(event: string, data: unknown, id?: number): string {
  const head = id === undefined ? '' : `id: ${id}\n`;
  return `${head}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
