// Leaves out events of Anthropic's streams that the protocol did not have when the SDK was written. Its
// documentation says that new ones may appear at any time and must be skipped; the SDK treats them as a broken reply.

import { MAX_CARRIER_DEPTH, readJson } from '../../base/text/json.ts';

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

/** Filters a stream whose lines end with a line feed. Each character is read once, however an event is split. */
export function knownEvents(): {
  /** Returns the rest of the next part of a stream. It may be empty. */
  take(part: Uint8Array): Uint8Array;
  /** Returns the bytes that were held back at the end. */
  rest(): Uint8Array;
} {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  return {
    take(part) {
      const text = decoder.decode(part, { stream: true });
      const isCut = text.startsWith('\n') && begun.at(-1)?.endsWith('\n') === true;
      let from = 0;
      let known = '';
      for (let end = isCut ? 1 : endOfEvent(text, 0); end > 0; end = endOfEvent(text, from)) {
        const event = [...begun, text.slice(from, end)].join('');
        begun = [];
        from = end;
        if (isKnown(event)) known += event;
      }
      if (from < text.length) begun.push(text.slice(from));
      return Buffer.from(known);
    },
    rest: () => Buffer.from(begun.join('') + decoder.decode()),
  };
}

/** The offset at which the next event begins, or 0. */
const endOfEvent = (text: string, from: number): number => {
  const at = text.indexOf('\n\n', from);
  return at < 0 ? 0 : at + 2;
};

/** An event is known by its name; without one, by the type that its data gives. */
function isKnown(event: string): boolean {
  const fields = event.split('\n').map((line) => /^(\w+): ?(.*)$/s.exec(line));
  const name = fields.findLast((field) => field?.[1] === 'event')?.[2];
  if (name !== undefined) return KNOWN.has(name);
  const data = fields.flatMap((field) => (field?.[1] === 'data' ? (field[2] ?? '') : [])).join('\n');
  const type = typeOf(data);
  return type === undefined || KNOWN.has(type);
}

function typeOf(data: string): string | undefined {
  const parsed = readJson(data, MAX_CARRIER_DEPTH);
  if (!parsed.ok) return undefined; // the SDK says what is wrong with it
  const { type } = (parsed.value ?? {}) as { readonly type?: unknown };
  return typeof type === 'string' ? type : undefined;
}
