// Counts the body of an HTTP answer while it comes in, after decompression: a server decides neither how much memory
// it takes nor how deep the JSON is that is parsed afterwards.
// NET-1. A body that goes over a cap is cancelled, and its reader gets the error that `excess` makes.
// NET-2. In a stream of events every line ends with a line feed: parsers that look for three kinds of line breaks read
//        a long run of one kind again and again.

export const BYTES = { body: 64 * 1024 * 1024, part: 16 * 1024 * 1024 } as const;

export interface CountedBody {
  /** A stream of events has a cap for each event; `json` and `text` have one for the whole. */
  readonly form: 'events' | 'json' | 'text';
  /** The limit of a stream of events. Default: `BYTES.body`. */
  readonly bodyBytes?: number;
  readonly maxDepth: number;
  /** Makes the error from what was sent: "an answer of more than 64 MiB". */
  excess(what: string): Error;
  /** Called for each part that came in. */
  onBytes?(bytes: number): void;
}

export const bodyCounter = (counting: CountedBody): BodyCounter => new BodyCounter(counting);

/** The same answer with a counted body. */
export function countedResponse(response: Response, counting: CountedBody): Response {
  if (response.body === null) return response;
  const { status, statusText, headers } = response;
  const counter = new BodyCounter(counting);
  const body = response.body.pipeThrough(
    new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => controller.enqueue(counter.take(chunk)),
    }),
  );
  return new Response(body, { status, statusText, headers });
}

export function formOf({ headers }: Pick<Response, 'headers'>): CountedBody['form'] {
  const type = headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? '';
  if (type === 'text/event-stream') return 'events';
  return type === 'application/json' || type.endsWith('+json') ? 'json' : 'text';
}

const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENS_LIST = 0x5b;
const CLOSES_LIST = 0x5d;
const OPENS_OBJECT = 0x7b;
const CLOSES_OBJECT = 0x7d;

/** Counts the parts of one body. */
class BodyCounter {
  readonly #counting: CountedBody;
  readonly #bodyBytes: number;
  #total = 0;
  /** Bytes of the event that comes in. */
  #eventBytes = 0;
  #lineBytes = 0;
  #depth = 0;
  #inString = false;
  #escaped = false;
  #afterReturn = false;

  constructor(counting: CountedBody) {
    this.#counting = counting;
    this.#bodyBytes = counting.form === 'events' ? (counting.bodyBytes ?? BYTES.body) : BYTES.part;
  }

  /** The part as its reader may have it. Throws what `excess` makes. */
  take(chunk: Uint8Array): Uint8Array {
    const { form, excess, onBytes } = this.#counting;
    onBytes?.(chunk.byteLength);
    this.#total += chunk.byteLength;
    if (this.#total > this.#bodyBytes) throw excess(`an answer of more than ${mebibytes(this.#bodyBytes)}`);
    if (form === 'events') return this.#takeEvents(this.#withoutReturns(chunk));
    if (form === 'json') this.#follow(chunk, 0, chunk.byteLength);
    return chunk;
  }

  /** NET-2. The two characters of one line break may come in two parts. */
  #withoutReturns(chunk: Uint8Array): Uint8Array {
    if (!this.#afterReturn && !chunk.includes(RETURN)) return chunk;
    const kept = new Uint8Array(chunk.byteLength);
    let length = 0;
    for (const byte of chunk) {
      if (!(this.#afterReturn && byte === LINE_FEED)) kept[length++] = byte === RETURN ? LINE_FEED : byte;
      this.#afterReturn = byte === RETURN;
    }
    return kept.subarray(0, length);
  }

  #takeEvents(chunk: Uint8Array): Uint8Array {
    let from = 0;
    for (let end = chunk.indexOf(LINE_FEED); end >= 0; end = chunk.indexOf(LINE_FEED, from)) {
      this.#inLine(chunk, from, end);
      this.#endLine();
      from = end + 1;
    }
    this.#inLine(chunk, from, chunk.byteLength);
    return chunk;
  }

  #inLine(chunk: Uint8Array, from: number, to: number): void {
    this.#lineBytes += to - from;
    this.#eventBytes += to - from;
    if (this.#eventBytes > BYTES.part) throw this.#counting.excess(`an event of more than ${mebibytes(BYTES.part)}`);
    this.#follow(chunk, from, to);
  }

  /** An empty line ends the event. A string of JSON never continues over the end of a line. */
  #endLine(): void {
    if (this.#lineBytes === 0) {
      this.#eventBytes = 0;
      this.#depth = 0;
    }
    this.#lineBytes = 0;
    this.#inString = false;
    this.#escaped = false;
  }

  /** The depth of the JSON. Every byte of every reply passes here, so the loop counts in local variables. */
  #follow(chunk: Uint8Array, from: number, to: number): void {
    const { maxDepth, excess } = this.#counting;
    let depth = this.#depth;
    let inString = this.#inString;
    let escaped = this.#escaped;
    for (let at = from; at < to; at++) {
      const byte = chunk[at];
      if (inString) {
        if (escaped) escaped = false;
        else if (byte === BACKSLASH) escaped = true;
        else if (byte === QUOTE) inString = false;
      } else if (byte === QUOTE) {
        inString = true;
      } else if (byte === OPENS_LIST || byte === OPENS_OBJECT) {
        depth++;
        if (depth > maxDepth) throw excess(`JSON that is nested more than ${maxDepth} levels deep`);
      } else if (byte === CLOSES_LIST || byte === CLOSES_OBJECT) {
        depth--;
      }
    }
    this.#depth = depth;
    this.#inString = inString;
    this.#escaped = escaped;
  }
}

const mebibytes = (bytes: number): string => `${bytes / (1024 * 1024)} MiB`;
