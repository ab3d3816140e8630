// Leaves out the events of a stream of Anthropic's that its protocol did not have when the SDK was written. Its
// documentation says that new ones may come at any time and are to be skipped; the SDK takes them for a broken reply.

const KNOWN: ReadonlySet<string> = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
]);

const END_OF_EVENT = /\r\n\r\n|\n\n|\r\r/;

export function knownEvents(): TransformStream<Uint8Array, Uint8Array> {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let rest = '';
  return new TransformStream({
    transform(chunk, controller) {
      rest += decoder.decode(chunk, { stream: true });
      for (let end = END_OF_EVENT.exec(rest); end !== null; end = END_OF_EVENT.exec(rest)) {
        const event = rest.slice(0, end.index + end[0].length);
        rest = rest.slice(event.length);
        if (isKnown(event)) controller.enqueue(encoder.encode(event));
      }
    },
    flush(controller) {
      rest += decoder.decode();
      if (rest !== '') controller.enqueue(encoder.encode(rest));
    },
  });
}

/** By its name; where it has none, by the type that its data gives. */
function isKnown(event: string): boolean {
  const fields = event.split(/\r\n|\n|\r/).map((line) => /^(\w+): ?(.*)$/s.exec(line));
  const name = fields.findLast((field) => field?.[1] === 'event')?.[2];
  if (name !== undefined) return KNOWN.has(name);
  const data = fields.flatMap((field) => (field?.[1] === 'data' ? (field[2] ?? '') : [])).join('\n');
  const type = typeOf(data);
  return type === undefined || KNOWN.has(type);
}

function typeOf(data: string): string | undefined {
  try {
    const { type } = (JSON.parse(data) ?? {}) as { readonly type?: unknown };
    return typeof type === 'string' ? type : undefined;
  } catch {
    return undefined; // not JSON: the SDK says what is wrong with it
  }
}
