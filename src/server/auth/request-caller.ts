// Who makes a request: by a token in a header, or by the cookie that the page has.

import { fail } from '../../kernel/fault.ts';
import type { ServerCall } from '../context.ts';
import type { RateLimit } from '../rate-limit.ts';
import type { Caller } from './caller.ts';
import type { Tokens } from './tokens.ts';

export interface RequestTokens {
  tokens(): Tokens;
  /** The name of the page's cookie. */
  cookie(): string;
  /** Counts requests whose token is not known. Throws `request/rate`: nobody may try tokens without end. */
  readonly rate: RateLimit;
}

/** `?token=` opens the page: it becomes a cookie, and leaves the address. */
export function loginOf(call: ServerCall, { tokens, cookie, rate }: RequestTokens): Response | undefined {
  const { method, path } = call.req;
  if (method !== 'GET' || path.startsWith('/api/')) return undefined;
  const url = new URL(call.req.url);
  const token = url.searchParams.get('token');
  if (token === null) return undefined;
  if (tokens().isNeeded && tokens().callerOf(token) === undefined) {
    rate.take(STRANGERS);
    fail('request/unauthorized', 'The token in the address is not known. Use the address that cadre serve printed.');
  }
  url.searchParams.delete('token');
  const response = new Response(null, {
    status: 303,
    headers: { location: `${ownPath(url)}${url.search}`, 'cache-control': 'no-store' },
  });
  if (tokens().isNeeded) {
    const value = tokens().cookieOf(token);
    const secure = call.req.header('x-forwarded-proto') === 'https' ? '; Secure' : '';
    response.headers.set(
      'set-cookie',
      `${cookie()}=${value}; Path=/; HttpOnly; SameSite=Strict; Max-Age=31536000${secure}`,
    );
  }
  return response;
}

/** A path that begins with two slashes would lead to another server. */
const ownPath = ({ pathname }: URL): string => pathname.replace(/^\/+/, '/');

/** A token in a header, else the page's cookie. Throws `request/unauthorized`. */
export function requestCaller(call: ServerCall, { tokens, cookie, rate }: RequestTokens): Caller {
  const known = tokens();
  const given = bearer(call.req.header('authorization')) ?? call.req.header('x-api-key') ?? cookieNamed(cookie(), call);
  const caller = given === undefined ? undefined : known.callerOf(given);
  if (caller !== undefined) return caller;
  if (!known.isNeeded) return known.anyone;
  rate.take(STRANGERS);
  return fail(
    'request/unauthorized',
    given === undefined
      ? 'The request has no token. Send it as "Authorization: Bearer <token>", or open the address that cadre serve printed.'
      : 'The token is not known.',
  );
}

/** No token can have this name. */
const STRANGERS = '?';

const bearer = (header: string | undefined): string | undefined => /^Bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1];

function cookieNamed(name: string, call: ServerCall): string | undefined {
  for (const part of (call.req.header('cookie') ?? '').split(';')) {
    const [key = '', value = ''] = part.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}
