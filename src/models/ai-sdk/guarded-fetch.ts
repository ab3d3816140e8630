// The `fetch` of the providers. It asks for a stream of events, and checks that the answer is one.
// FETCH-1. A redirect is not followed: key, headers and conversation stay with the server that cadre.yaml names.
// FETCH-2. An answer that is not a stream is a fault that says what the server said. The package of an `ai-sdk`
//          provider may ask for things other than a stream, so there only an answer that says it is a stream is treated
//          as one.
// FETCH-3. An event of a kind that the SDK does not know is left out, and does not break the reply.
// FETCH-4. Every body is counted, an error's too: over a cap it is cancelled, and the attempt fails.
// FETCH-5. A stream is over at `data: [DONE]`, the last word of OpenAI's form: the end of the connection is not waited
//          for.

import { bodyCounter, type CountedBody, formOf } from '../../base/net/counted.ts';
import type { HttpAnswer } from '../../base/net/http-answer.ts';
import { MAX_CARRIER_DEPTH, readJson } from '../../base/text/json.ts';
import { type Fault, FaultError, fail, fault } from '../../kernel/fault.ts';
import type { RemoteKind } from '../settings.ts';
import { excerpt, messageIn, nameIn } from './excerpt.ts';
import { knownEvents } from './known-events.ts';
import { type Send, sentRequest } from './sent-request.ts';

type Fetch = typeof globalThis.fetch;

export function guardedFetch(provider: string, kind: RemoteKind, send: Send = sentRequest): Fetch {
  return async (input, init) => {
    const answer = await send(input, init, kind);
    const { status, headers } = answer;
    if (status >= 300 && status < 400) return refuseRedirect(provider, kind, answer, addressOf(input));
    const isOk = status >= 200 && status < 300;
    const wantsEvents = isOk && (kind !== 'ai-sdk' || formOf(answer) === 'events');
    if (WITHOUT_BODY.has(status)) return new Response(null, { status, headers });
    const counted = countedAnswer(answer, countingFor(provider, wantsEvents ? 'events' : formOf(answer))); // FETCH-4
    if (!wantsEvents) return responseOf(counted, []);
    const first = await firstEvents(counted, provider);
    return kind === 'anthropic' ? responseOf(...onlyKnown(counted, first)) : responseOf(counted, first); // FETCH-3
  };
}

/** A response with one of these must not have a body. */
const WITHOUT_BODY: ReadonlySet<number> = new Set([204, 205]);

const addressOf = (input: Parameters<Fetch>[0]): string => (input instanceof Request ? input.url : String(input));

/** The response begins with the bytes that were read already. */
function responseOf(answer: HttpAnswer, first: readonly Uint8Array[]): Response {
  const { status, statusText, headers } = answer;
  const begun = [...first];
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const part = begun.shift() ?? (await answer.read());
        if (part !== undefined) controller.enqueue(part);
        if (part !== undefined && !isLast(part)) return;
        controller.close();
        answer.leave();
      },
      cancel: () => answer.leave(),
    },
    { highWaterMark: 0 },
  );
  return new Response(body, { status, statusText, headers });
}

const DONE = Buffer.from('data: [DONE]\n\n');

/** FETCH-5. A model cannot write it: in JSON a text has no line break. Where it comes in pieces, the end of the body counts. */
const isLast = (part: Uint8Array): boolean =>
  part.byteLength >= DONE.byteLength && DONE.equals(part.subarray(part.byteLength - DONE.byteLength));

/** FETCH-4 */
function countedAnswer(answer: HttpAnswer, counting: CountedBody): HttpAnswer {
  const counter = bodyCounter(counting);
  const counted = (part: Uint8Array | undefined): Uint8Array | undefined => {
    try {
      return part && counter.take(part);
    } catch (thrown) {
      answer.cancel();
      throw thrown;
    }
  };
  return { ...answer, read: () => answer.read().then(counted) };
}

/** FETCH-3 */
function onlyKnown(answer: HttpAnswer, first: readonly Uint8Array[]): [HttpAnswer, readonly Uint8Array[]] {
  const filter = knownEvents();
  let isOver = false;
  const read = async (): Promise<Uint8Array | undefined> => {
    while (!isOver) {
      const part = await answer.read();
      isOver = part === undefined;
      const known = part === undefined ? filter.rest() : filter.take(part);
      if (known.byteLength > 0) return known;
    }
    return undefined;
  };
  return [{ ...answer, read }, first.map((part) => filter.take(part)).filter(({ byteLength }) => byteLength > 0)];
}

const countingFor = (provider: string, form: CountedBody['form']): CountedBody => ({
  form,
  maxDepth: MAX_CARRIER_DEPTH,
  excess: (what) => new FaultError(fault('model/malformed', `${provider} sent ${what}. The rest of it was not read.`)),
});

/** FETCH-1. The query of an address may hold a secret, so it is not shown. */
function refuseRedirect(
  provider: string,
  kind: RemoteKind,
  { status, headers, cancel }: HttpAnswer,
  url: string,
): never {
  cancel();
  const given = headers.get('location') ?? '';
  const target = URL.canParse(given, url) ? new URL(given, url) : undefined;
  const location = target === undefined ? 'nowhere' : `${target.origin}${target.pathname}`;
  return fail(
    'model/bad-request',
    `${provider} redirects (${status}) to ${location}. A provider's redirect is not followed, because its key and the ` +
      `conversation would go along. If the server is there now, set \`${kind === 'ai-sdk' ? 'options.baseURL' : 'baseUrl'}\` of ` +
      `provider "${provider}" in cadre.yaml to the new address.`,
    { status, location, unbilled: true },
  );
}

/** Enough to tell events from anything else. */
const FIRST_BYTES = 16;
/** Enough to report what the server said instead. */
const SAID_BYTES = 16_384;
const EVENT_LINE = /^(?:data|event|id|retry|:)/;

/** The first parts of a body that begins like a stream of events, or is empty. FETCH-2. */
async function firstEvents(answer: HttpAnswer, provider: string): Promise<readonly Uint8Array[]> {
  const parts: Uint8Array[] = [];
  let text = '';
  let isOver = false;
  const decoder = new TextDecoder();
  const readOn = async (bytes: number): Promise<void> => {
    while (!isOver && text.length < bytes) {
      const part = await answer.read();
      isOver = part === undefined;
      if (part === undefined) continue;
      parts.push(part);
      const more = decoder.decode(part, { stream: true });
      text = text === '' ? more.trimStart() : text + more; // so that endless blanks are not scanned again and again
    }
  };
  await readOn(FIRST_BYTES);
  if (text === '' || EVENT_LINE.test(text)) return parts;
  await readOn(SAID_BYTES);
  answer.cancel();
  throw new FaultError(notEvents(provider, answer, text));
}

function notEvents(provider: string, { status, headers }: HttpAnswer, text: string): Fault {
  const type = headers.get('content-type')?.split(';')[0]?.trim() || 'no content type';
  const said = parsed(text);
  const isError = typeof said === 'object' && said !== null && 'error' in said;
  const code = isError ? (nameIn(said) ?? 'model/server') : 'model/malformed';
  const what = isError ? 'an error' : `${type} instead of a stream of events`;
  const words = excerpt(isError ? messageIn(said) : text);
  return fault(code, `${provider} answered ${status} with ${what}: ${words}`, { status, unbilled: true });
}

function parsed(text: string): unknown {
  const found = readJson(text);
  return found.ok ? found.value : undefined; // a page, or a part of something longer: its text is reported as it is
}
