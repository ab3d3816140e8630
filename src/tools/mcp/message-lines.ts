// The messages in the output of a server process: one line of JSON each. Every byte is read once, however the
// output is split, and what a server may send is capped.

import { INTERNAL_ERROR, type JSONRPCMessage, parseJSONRPCMessage } from '@modelcontextprotocol/client';
import { BYTES } from '../../base/net/counted.ts';
import { explainJsonError, MAX_CARRIER_DEPTH, NOT_JSON, readJson } from '../../base/text/json.ts';

/** Some servers print a few lines of their own before they begin. */
const MOST_STRAY_LINES = 10_000;
const LINE_FEED = 10;
const FIRST_BYTES = 4096;
/** A larger buffer is released after its message. */
const KEPT_BYTES = 1024 * 1024;

/** The server went over a cap: nothing more of it is read. `message` goes on from "it". */
export class OverCap extends Error {}

export class MessageLines {
  /** The line that has begun. It grows by doubling. */
  private line = Buffer.allocUnsafe(FIRST_BYTES);
  private size = 0;
  private strays = 0;

  /** The messages that this part of the output completes. Throws OverCap. `onStray` is called for any other line. */
  *take(chunk: Buffer, onStray: (error: Error) => void): Generator<JSONRPCMessage> {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      this.keep(chunk.subarray(from, end));
      from = end + 1;
      const message = this.read(onStray);
      if (message !== undefined) yield message;
    }
    this.keep(chunk.subarray(from));
  }

  private keep(part: Buffer): void {
    const size = this.size + part.length;
    if (size > BYTES.part) throw new OverCap(`sent a message of more than ${BYTES.part / 1024 / 1024} MiB`);
    if (size > this.line.length) {
      const larger = Buffer.allocUnsafe(Math.max(size, this.line.length * 2));
      this.line.copy(larger, 0, 0, this.size);
      this.line = larger;
    }
    part.copy(this.line, this.size);
    this.size = size;
  }

  private read(onStray: (error: Error) => void): JSONRPCMessage | undefined {
    const text = this.line.toString('utf8', 0, this.size).trim();
    this.size = 0;
    if (this.line.length > KEPT_BYTES) this.line = Buffer.allocUnsafe(FIRST_BYTES);
    if (text === '') return undefined;
    const parsed = readJson(text, MAX_CARRIER_DEPTH);
    if (!parsed.ok && parsed.why !== NOT_JSON) throw new OverCap(`sent a message that ${parsed.why}`);
    try {
      if (parsed.ok) return parseJSONRPCMessage(parsed.value);
      onStray(new Error(`a line of its output ${explainJsonError(parsed)}`));
    } catch (thrown) {
      onStray(thrown as Error);
      const refusal = parsed.ok ? refusalOf(parsed.value) : undefined;
      if (refusal !== undefined) return refusal;
    }
    this.strays++;
    if (this.strays > MOST_STRAY_LINES) {
      throw new OverCap(`printed more than ${MOST_STRAY_LINES} lines that are not messages`);
    }
    return undefined;
  }
}

/** An invalid answer fails its request, which would otherwise wait for another answer until its deadline. */
function refusalOf(value: unknown): JSONRPCMessage | undefined {
  if (typeof value !== 'object' || value === null || 'method' in value || !('id' in value)) return undefined;
  const { id } = value;
  if (typeof id !== 'string' && typeof id !== 'number') return undefined;
  return { jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: 'its answer could not be understood' } };
}
