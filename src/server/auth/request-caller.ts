// The caller of a request: by a token in a header, or by the log-in that the page's cookie holds.

import { fail } from '../../kernel/fault.ts';
import type { FindCaller } from '../access.ts';
import type { ServerCall } from '../context.ts';
import type { RateLimit } from '../rate-limit.ts';
import { LOGIN_MS, type Logins } from './logins.ts';
import type { KnownToken, Tokens } from './tokens.ts';

export interface RequestTokens {
  tokens(): Tokens;
  readonly logins: Logins;
  /** The name of the page's cookie. */
  cookie(): string;
  /** Counts requests whose token is not known. Throws `request/rate`: nobody may try tokens without end. */
  readonly rate: RateLimit;
}

/** `?token=` opens the page: it becomes a log-in, and leaves the address. */
export function loginOf(call: ServerCall, parts: RequestTokens): Response | undefined {
  const { tokens, rate } = parts;
  if (call.req.method !== 'GET' || !isPage(call.req.path)) return undefined;
  const url = new URL(call.req.url);
  const given = url.searchParams.get('token');
  if (given === null) return undefined;
  const token = tokens().find(given);
  if (tokens().isNeeded && token === undefined) {
    rate.take(STRANGERS);
    fail('request/unauthorized', 'The token in the address is not known. Use the address that cadre serve printed.');
  }
  url.searchParams.delete('token');
  const response = new Response(null, {
    status: 303,
    headers: { location: `${ownPath(url)}${url.search}`, 'cache-control': 'no-store' },
  });
  if (tokens().isNeeded && token !== undefined) response.headers.set('set-cookie', cookieFor(token, call, parts));
  return response;
}

/** A log-in that is in use is made again now and then: a page that is used does not have to log in. */
export function renewedCookie(call: ServerCall, parts: RequestTokens): string | undefined {
  const value = cookieNamed(parts.cookie(), call);
  const login = value === undefined ? undefined : parts.logins.find(value);
  return login?.isOld === true ? cookieFor(login.token, call, parts) : undefined;
}

function cookieFor(token: KnownToken, call: ServerCall, { logins, cookie }: RequestTokens): string {
  const secure = call.req.header('x-forwarded-proto') === 'https' ? '; Secure' : '';
  const lives = `Max-Age=${LOGIN_MS / 1000}`;
  return `${cookie()}=${logins.begin(token)}; Path=/; HttpOnly; SameSite=Strict; ${lives}${secure}`;
}

/** A path that begins with two slashes would lead to another server. */
const ownPath = ({ pathname }: URL): string => pathname.replace(/^\/+/, '/');

/** A token in a header, else the page's log-in. Throws `request/unauthorized`. */
export function requestCaller(call: ServerCall, { tokens, logins, cookie, rate }: RequestTokens) {
  const secret = bearer(call.req.header('authorization')) ?? call.req.header('x-api-key');
  const login = secret === undefined && takesLogin(call) ? cookieNamed(cookie(), call) : undefined;
  /** Looks again, in the settings of then. */
  const find: FindCaller = () => {
    const token = secret === undefined ? undefined : tokens().find(secret);
    const caller = token?.caller ?? (login === undefined ? undefined : logins.find(login)?.caller);
    return caller ?? (tokens().isNeeded ? undefined : tokens().anyone);
  };
  const caller = find();
  if (caller !== undefined) return { caller, find };
  rate.take(STRANGERS);
  return fail('request/unauthorized', secret === undefined && login === undefined ? NO_TOKEN : NOT_KNOWN);
}

const NO_TOKEN =
  'The request has no token. Send it as "Authorization: Bearer <token>", or open the address that cadre serve printed.';
const NOT_KNOWN = 'The token or the log-in is not known. Open the address that cadre serve printed.';

/** No token can have this name. */
const STRANGERS = '?';

/**
 * LOGIN-2: the page, and the API as the page uses it. A browser says from where it sends what changes something, so a request
 * that does not say it is not the page's.
 */
const takesLogin = ({ req, get }: ServerCall): boolean =>
  get('front') === undefined && // ORIGIN-3
  (isPage(req.path) || /^\/(?:api\/|openapi\.json$)/.test(req.path)) &&
  (req.method === 'GET' || req.method === 'HEAD' || req.header('origin') !== undefined);

/** Addresses of protocols are none of the page, nor is the API. */
const isPage = (path: string): boolean => !/^\/(?:api|v1|mcp|a2a|\.well-known)(?:\/|$)/.test(path);

const bearer = (header: string | undefined): string | undefined => /^Bearer\s+(\S+)\s*$/i.exec(header ?? '')?.[1];

function cookieNamed(name: string, call: ServerCall): string | undefined {
  for (const part of (call.req.header('cookie') ?? '').split(';')) {
    const [key = '', value = ''] = part.trim().split('=', 2);
    if (key === name) return value;
  }
  return undefined;
}
