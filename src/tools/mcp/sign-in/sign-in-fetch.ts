// The `fetch` of discovery, registration and token requests of a sign-in. An MCP server names these addresses, so they are
// guarded like those of REST tools.
// AUTH-FETCH-1. https only, but for the origin of the server itself and, if the server is on a private network, loopback.
// AUTH-FETCH-2. No private address, unless the url of the server is one. Checked after resolution.
// AUTH-FETCH-3. No redirect to another origin, and none of anything but a GET. No header of ours goes along.
// AUTH-FETCH-4. An answer is small and soon, or it is an error.

import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { fail } from '../../../kernel/fault.ts';
import { isPublic } from '../../rest/address.ts';
import { exchange } from '../../rest/send.ts';

const MOST_BYTES = 1_048_576;
const MOST_REDIRECTS = 5;
/** One request of a sign-in. Shorter than the lease under which tokens are renewed. */
export const REQUEST_MS = 10_000;

export function signInFetch(server: {
  readonly name: string;
  readonly url: string;
}): (url: string | URL, init?: RequestInit) => Promise<Response> {
  const own = new URL(server.url);
  let isPrivate: Promise<boolean> | undefined;
  return async (input, init = {}) => {
    isPrivate ??= isPrivateHost(own);
    const allowPrivate = await isPrivate;
    let url = new URL(input);
    for (let hop = 0; hop <= MOST_REDIRECTS; hop++) {
      refuseInsecure(url, own, allowPrivate, server.name);
      const response = await once(url, init, allowPrivate, server.name);
      const location = response.headers.get('location');
      if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return response;
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      const method = init.method ?? 'GET';
      if (next?.origin !== url.origin || method !== 'GET') {
        return fail('tool/failed', `${url.origin} redirects a request of the sign-in, which is not followed.`); // AUTH-FETCH-3
      }
      url = next;
    }
    return fail('tool/failed', `${url.origin} redirects a request of the sign-in more than ${MOST_REDIRECTS} times.`);
  };
}

/** A token is not sent in the clear over the internet. */
export async function refusePlainServer(server: { readonly name: string; readonly url: string }): Promise<void> {
  const url = new URL(server.url);
  if (url.protocol === 'https:' || (await isPrivateHost(url))) return;
  fail(
    'tool/source',
    `mcpServers.${server.name} has auth, and its url is not https: a token would be seen on the way.`,
  );
}

/** AUTH-FETCH-1 */
function refuseInsecure(url: URL, own: URL, allowPrivate: boolean, name: string): void {
  if (url.protocol === 'https:' || url.origin === own.origin) return;
  if (url.protocol === 'http:' && allowPrivate && isLoopbackUrl(url)) return;
  fail('tool/failed', `The MCP server "${name}" names ${url.origin} for its sign-in, which is not https.`);
}

export const isLoopbackUrl = ({ hostname }: URL): boolean =>
  /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname) || hostname.endsWith('.localhost');

/** AUTH-FETCH-2. A name that cannot be resolved now is not taken for a private one. */
async function isPrivateHost(url: URL): Promise<boolean> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(host) !== 0) return !isPublic(host);
  const found = await lookup(host, { all: true }).catch(() => []);
  return found.some(({ address }) => !isPublic(address));
}

/** The official client sends forms and JSON. */
function textOf(body: RequestInit['body']): string | undefined {
  if (typeof body === 'string') return body;
  if (body instanceof URLSearchParams) return body.toString();
  return body === undefined || body === null ? undefined : fail('internal', 'A request of a sign-in has no text.');
}

async function once(url: URL, init: RequestInit, allowPrivate: boolean, name: string): Promise<Response> {
  const late = AbortSignal.timeout(REQUEST_MS);
  const signal = init.signal ? AbortSignal.any([init.signal, late]) : late;
  const wayOut = `It is where the MCP server "${name}" lets people sign in.`;
  const body = textOf(init.body);
  const headers = Object.fromEntries(new Headers(init.headers));
  const request = { method: init.method ?? 'GET', url, headers, ...(body !== undefined && { body }) };
  const answer = await exchange(request, { signal, wayOut }, allowPrivate);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of answer as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) {
      answer.destroy();
      fail('tool/failed', `${url.origin} sent more than ${MOST_BYTES} bytes for a sign-in.`);
    }
    chunks.push(chunk);
  }
  const status = answer.statusCode ?? 502;
  const told = Object.entries(answer.headers).flatMap(([key, value]) =>
    typeof value === 'string' ? [[key, value] as [string, string]] : [],
  );
  const isBodiless = [101, 204, 205, 304].includes(status);
  return new Response(isBodiless ? null : Buffer.concat(chunks), { status, headers: told });
}
