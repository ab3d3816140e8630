// The body of an HTTP answer as text, up to the cap, or a line that says what it is instead.

import type { IncomingMessage } from 'node:http';
import { fail } from '../../kernel/fault.ts';
import type { RedactedText, Redactor } from '../../kernel/redacted.ts';

export interface Body {
  /** The content type, without parameters. */
  readonly type: string;
  readonly text: RedactedText;
  /** The bytes after which a longer body was cut. */
  readonly cutAt?: number;
}

const textual = /^(text\/|application\/(.+\+)?(json|xml|yaml|javascript|x-www-form-urlencoded|x-ndjson|graphql)\b)/i;

export async function readBody(response: IncomingMessage, maxBytes: number, redactor: Redactor): Promise<Body> {
  const encoding = response.headers['content-encoding'] ?? 'identity';
  if (encoding !== 'identity') {
    response.destroy();
    fail('tool/failed', `The server answered in the encoding "${encoding}", but none was asked for.`);
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  let cut = false;
  for await (const chunk of response as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    size += chunk.byteLength;
    cut = size > maxBytes;
    if (cut) break;
  }
  const bytes = Buffer.concat(chunks);
  const type = response.headers['content-type'] ?? 'text/plain';
  if (!textual.test(type)) {
    const what = `[${cut ? `more than ${maxBytes}` : size} bytes of ${type.split(';')[0]}, not shown]`;
    return { type: bare(type), text: redactor.redact(what) };
  }
  if (!cut) return { type: bare(type), text: redactor.redact(decode(bytes, type)) };
  // The cut may leave half a character or half a secret at the end; both are removed.
  const text = decode(bytes.subarray(0, maxBytes), type, { stream: true });
  return { type: bare(type), text: redactor.stream().push(text), cutAt: maxBytes };
}

const bare = (type: string): string => (type.split(';')[0] ?? '').trim().toLowerCase();

/** The character set that a page itself declares. */
function charsetIn(bytes: Uint8Array, type: string): string | undefined {
  if (!bare(type).includes('html')) return undefined;
  const beginning = new TextDecoder('latin1').decode(bytes.subarray(0, 1024));
  return /<meta[^>]{0,200}charset=["']?([\w-]+)/i.exec(beginning)?.[1];
}

function decode(bytes: Uint8Array, type: string, options: { readonly stream?: boolean } = {}): string {
  const charset = /charset="?([\w-]+)/i.exec(type)?.[1] ?? charsetIn(bytes, type) ?? 'utf-8';
  try {
    return new TextDecoder(charset).decode(bytes, options);
  } catch (thrown) {
    if (thrown instanceof RangeError) return new TextDecoder().decode(bytes, options);
    throw thrown;
  }
}
