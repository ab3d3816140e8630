// One HTTP exchange with redirects, on Node's own client: global fetch would cost start-up time, and does not let us
// see the address that a name resolves to.
// REST-1. Every address is checked after resolution, and the connection goes to the address that was checked.
// REST-2. A redirect is checked like a first request; to another origin it carries no headers of ours and no
//         permission.

import type { IncomingMessage, RequestOptions } from 'node:http';
import { FaultError, fail, fault } from '../../kernel/fault.ts';
import { asRecorded, type Redactor } from '../../kernel/redacted.ts';
import { judgedLookup, judgeHost } from './address.ts';
import { type Body, readBody } from './body.ts';
import type { RestRequest } from './template.ts';

export interface Answer extends Body {
  /** The URL that it came from, after redirects. */
  readonly url: URL;
  readonly status: number;
  readonly reason: string;
  /** The address that it redirects to, if that is another host and was not to be followed. Then nothing was read. */
  readonly leadsTo?: { readonly url: URL; readonly followed: number };
}

const maxRedirects = 5;
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export async function send(
  request: RestRequest,
  limits: {
    readonly signal: AbortSignal;
    readonly maxBytes: number;
    readonly allowPrivate: boolean;
    readonly redactor: Redactor;
    /** A redirect to another host is not followed: the answer says where it leads. */
    readonly staysOnHost?: boolean;
    /** The number of redirects that were followed before. */
    readonly followed?: number;
    /** The way to allow an address that is refused: a sentence for a person. */
    readonly wayOut?: string;
  },
): Promise<Answer> {
  let { url } = request;
  for (let hop = limits.followed ?? 0; hop <= maxRedirects; hop++) {
    const ours = url.origin === request.url.origin;
    const allowPrivate = limits.allowPrivate && ours;
    const response = await exchange({ ...request, url, headers: ours ? request.headers : {} }, limits, allowPrivate);
    const status = response.statusCode ?? 0;
    const location = redirects.has(status) ? response.headers.location : undefined;
    if (location === undefined) {
      return {
        url,
        status,
        reason: response.statusMessage ?? '',
        ...(await readBody(response, limits.maxBytes, limits.redactor)),
      };
    }
    response.destroy();
    if (request.method !== 'GET') {
      fail('tool/failed', `The server redirects (${status}), which is not followed for ${request.method}.`);
    }
    const next = nextUrl(url, location);
    if (limits.staysOnHost === true && next.host !== url.host) {
      const leadsTo = { url: next, followed: hop + 1 };
      return { url, status, reason: response.statusMessage ?? '', text: asRecorded(''), type: '', leadsTo };
    }
    url = next;
  }
  return fail('tool/failed', `The server redirects more than ${maxRedirects} times.`);
}

function nextUrl(from: URL, location: string): URL {
  const next = URL.canParse(location, from.href) ? new URL(location, from) : undefined;
  if (next === undefined || !['http:', 'https:'].includes(next.protocol)) {
    return fail('tool/failed', 'The server redirects to something that is not a web address.');
  }
  if (from.protocol === 'https:' && next.protocol === 'http:') {
    fail('tool/failed', 'The server redirects from https to http, which is not followed.');
  }
  next.username = '';
  next.password = '';
  return next;
}

/** One request and the head of its answer, without redirects. */
export function exchange(
  request: RestRequest,
  limits: Pick<Parameters<typeof send>[1], 'signal' | 'wayOut'>,
  allowPrivate: boolean,
): Promise<IncomingMessage> {
  const { url } = request;
  const { signal, wayOut } = limits;
  if (!allowPrivate) judgeHost(url, wayOut);
  // Loaded here and not by an import: with what it loads it would cost every start some 40 ms.
  const secure = url.protocol === 'https:';
  const client = secure ? process.getBuiltinModule('node:https') : process.getBuiltinModule('node:http');
  const options: RequestOptions = {
    method: request.method,
    headers: { accept: '*/*', 'user-agent': 'cadre', ...request.headers, 'accept-encoding': 'identity' },
    signal,
    // Not from a pool: a pooled connection may have been made with another permission.
    agent: false,
    ...(allowPrivate ? {} : { lookup: judgedLookup(wayOut) }),
  };
  return new Promise((resolve, reject) => {
    const sent = client.request(url, options, resolve);
    sent.on('error', reject);
    // Node takes an upgraded connection out of the request's hands: no answer comes, and no abort ends it.
    sent.on('upgrade', ({ statusCode }, socket) => {
      socket.destroy();
      reject(new FaultError(fault('tool/failed', `The server answered ${statusCode}, a protocol other than HTTP.`)));
    });
    sent.on('close', () => reject(new Error('The connection was closed before an answer came.'))); // if none has come
    sent.end(request.body);
  });
}
