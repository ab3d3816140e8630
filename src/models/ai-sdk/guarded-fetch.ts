// The `fetch` of the providers. It asks for a stream of events, and checks that the answer is one.
// H1. A redirect is not followed: key, headers and conversation stay with the server that cadre.yaml names.
// H2. An answer that is not a stream is a fault that says what the server said. The package of an `ai-sdk` provider may
//     ask for things other than a stream, so there only an answer that says it is a stream is treated as one.
// H3. An event of a kind that the SDK does not know is left out, and does not break the reply.
// H4. Every body is counted, an error's too: over a cap it is cancelled, and the attempt fails.

import { type Fault, FaultError, fail, fault } from '../../kernel/fault.ts';
import { MAX_CARRIER_DEPTH, readJson } from '../../kernel/json.ts';
import { type Counting, countedResponse, formOf } from '../../net/counted.ts';
import type { RemoteKind } from '../settings.ts';
import { excerpt, messageIn, nameIn } from './excerpt.ts';
import { knownEvents } from './known-events.ts';

type Fetch = typeof globalThis.fetch;

export function guardedFetch(provider: string, kind: RemoteKind): Fetch {
  return async (input, init) => {
    const given = await fetch(input, { ...init, redirect: 'manual' });
    if (given.status >= 300 && given.status < 400) return refuseRedirect(provider, kind, given);
    const wantsEvents = given.ok && (kind !== 'ai-sdk' || formOf(given) === 'events');
    const response = countedResponse(given, countingFor(provider, wantsEvents ? 'events' : formOf(given))); // H4
    if (!wantsEvents || response.body === null) return response;
    const events = await eventsOf(response.body, response, provider);
    const known = kind === 'anthropic' ? events.pipeThrough(knownEvents()) : events; // H3
    const { status, statusText, headers } = response;
    return new Response(known, { status, statusText, headers });
  };
}

const countingFor = (provider: string, form: Counting['form']): Counting => ({
  form,
  maxDepth: MAX_CARRIER_DEPTH,
  excess: (what) => new FaultError(fault('model/malformed', `${provider} sent ${what}. The rest of it was not read.`)),
});

/** H1. The query of an address may hold a secret, so it is not shown. */
async function refuseRedirect(
  provider: string,
  kind: RemoteKind,
  { status, headers, url, body }: Response,
): Promise<never> {
  await body?.cancel();
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

/** The whole body, if it begins like a stream of events or is empty. H2. */
async function eventsOf(
  body: ReadableStream<Uint8Array>,
  response: Response,
  provider: string,
): Promise<ReadableStream<Uint8Array>> {
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let text = '';
  let over = false;
  const decoder = new TextDecoder();
  const readOn = async (bytes: number): Promise<void> => {
    while (!over && text.length < bytes) {
      const { done, value } = await reader.read();
      over = done;
      if (value === undefined) continue;
      chunks.push(value);
      const more = decoder.decode(value, { stream: true });
      text = text === '' ? more.trimStart() : text + more; // so that endless blanks are not scanned again and again
    }
  };
  await readOn(FIRST_BYTES);
  if (text === '' || EVENT_LINE.test(text)) return resumed(chunks, reader);
  await readOn(SAID_BYTES);
  await reader.cancel();
  throw new FaultError(notEvents(provider, response, text));
}

function notEvents(provider: string, { status, headers }: Response, text: string): Fault {
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

/** What was read already, then the rest. */
function resumed(
  chunks: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  const first = [...chunks];
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const chunk = first.shift();
      if (chunk !== undefined) return controller.enqueue(chunk);
      const { done, value } = await reader.read();
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
