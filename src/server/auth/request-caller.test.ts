import { beforeEach, expect, test } from 'vitest';
import { faultOf } from '../../kernel/fault.ts';
import type { ServerCall } from '../context.ts';
import { LOGIN_MS, openLogins } from './logins.ts';
import { loginOf, type RequestTokens, renewedCookie, requestCaller } from './request-caller.ts';
import { openTokens, type Tokens } from './tokens.ts';

const SECRET = 'the-owners-own-token';
const DAY_MS = 86_400_000;

let clock: { at: number };
let held: { tokens: Tokens };
let strangers: string[];
let parts: RequestTokens;
beforeEach(() => {
  clock = { at: 1_700_000_000_000 };
  held = { tokens: openTokens(SECRET, {}, '.') };
  strangers = [];
  const key = 'k'.repeat(32);
  parts = {
    tokens: () => held.tokens,
    logins: openLogins({
      key: { now: () => key, made: () => key },
      server: () => '127.0.0.1:4000 /srv',
      tokens: () => held.tokens,
      now: () => clock.at,
    }),
    cookie: () => 'cadre-4000',
    rate: { take: (name: string) => void strangers.push(name) } as unknown as RequestTokens['rate'],
  };
});

interface Asked {
  readonly method?: string;
  readonly url?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The other origin that is let in. */
  readonly front?: string;
}

function callOf({ method = 'GET', url = 'http://127.0.0.1:4000/api/runs', headers = {}, front }: Asked): ServerCall {
  const req = { method, url, path: new URL(url).pathname, header: (name: string) => headers[name] };
  return { req, get: (name: string) => (name === 'front' ? front : undefined) } as unknown as ServerCall;
}

/** The name of the caller, or the words of the refusal. */
function callerOf(asked: Asked): string {
  try {
    return requestCaller(callOf(asked), parts).caller.name;
  } catch (thrown) {
    const { code, message } = faultOf(thrown);
    return `${code}: ${message.slice(0, 33)}`;
  }
}

const at = (path: string): string => `http://127.0.0.1:4000${path}`;
const NO_TOKEN = 'request/unauthorized: The request has no token. Send it';
const NOT_KNOWN = 'request/unauthorized: The token or the log-in is not kn';
const loggedIn = (): string => {
  const token = held.tokens.find(SECRET);
  if (token === undefined) throw new Error('The owner is known.');
  return `theme=dark; cadre-4000=${parts.logins.begin(token)}; other=1`;
};

test('a token is taken from either header, and one that is not known is refused and counted', () => {
  expect(callerOf({ headers: { authorization: `Bearer ${SECRET}` } })).toBe('owner');
  expect(callerOf({ headers: { authorization: `bearer   ${SECRET} ` }, method: 'POST' })).toBe('owner');
  expect(callerOf({ headers: { 'x-api-key': SECRET } })).toBe('owner');
  expect(strangers).toEqual([]);
  expect(callerOf({ headers: { authorization: 'Bearer something-else-altogether' } })).toBe(NOT_KNOWN);
  expect(callerOf({ headers: { authorization: SECRET } })).toBe(NO_TOKEN);
  expect(callerOf({})).toBe(NO_TOKEN);
  expect(strangers).toEqual(['?', '?', '?']);
});

test('the log-in of the page is good for the page and the API, and for no protocol', () => {
  const headers = { cookie: loggedIn() };
  for (const path of ['/', '/runs/x', '/api/runs', '/openapi.json'])
    expect([path, callerOf({ url: at(path), headers })]).toEqual([path, 'owner']);
  for (const path of ['/v1/models', '/mcp', '/a2a/x', '/.well-known/agent.json', '/api'])
    expect([path, callerOf({ url: at(path), headers })]).toEqual([path, NO_TOKEN]);
  expect(callerOf({ headers: { cookie: headers.cookie.replace('cadre-4000', 'cadre-4001') } })).toBe(NO_TOKEN);
  expect(callerOf({ headers: { cookie: 'cadre-4000=forged' } })).toBe(NOT_KNOWN);
});

test('a log-in changes something only in a request that says where it comes from, and never for another origin', () => {
  const cookie = loggedIn();
  expect(callerOf({ method: 'HEAD', headers: { cookie } })).toBe('owner');
  expect(callerOf({ method: 'POST', headers: { cookie } })).toBe(NO_TOKEN);
  expect(callerOf({ method: 'POST', headers: { cookie, origin: 'http://127.0.0.1:4000' } })).toBe('owner');
  expect(callerOf({ headers: { cookie }, front: 'https://shop.test' })).toBe(NO_TOKEN);
  expect(callerOf({ headers: { cookie, 'x-api-key': 'something-else-altogether' } })).toBe(NOT_KNOWN);
});

test('a caller is looked up again in the settings of then', () => {
  const byToken = requestCaller(callOf({ headers: { 'x-api-key': SECRET } }), parts).find;
  const byLogin = requestCaller(callOf({ headers: { cookie: loggedIn() } }), parts).find;
  expect([byToken()?.name, byLogin()?.name]).toEqual(['owner', 'owner']);
  held.tokens = openTokens('another-token-of-the-owner', {}, '.');
  expect([byToken(), byLogin()]).toEqual([undefined, undefined]);
});

test('a server without tokens takes anyone, and a token in the address only leaves it', () => {
  held.tokens = openTokens(undefined, {}, '.');
  expect(callerOf({})).toBe('anyone');
  expect(callerOf({ headers: { 'x-api-key': 'whatever-this-may-be' } })).toBe('anyone');
  const response = loginOf(callOf({ url: at('/?token=whatever&a=1') }), parts);
  expect([response?.status, response?.headers.get('location')]).toEqual([303, '/?a=1']);
  expect(response?.headers.get('set-cookie')).toBeNull();
  expect(strangers).toEqual([]);
});

test('a token in the address of the page becomes a log-in, and leaves the address', () => {
  const response = loginOf(callOf({ url: at(`//runs/x?token=${SECRET}&tab=now`) }), parts);
  expect([response?.status, response?.headers.get('location')]).toEqual([303, '/runs/x?tab=now']);
  expect(response?.headers.get('cache-control')).toBe('no-store');
  const cookie = response?.headers.get('set-cookie') ?? '';
  expect(cookie).toMatch(/^cadre-4000=owner\.\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=2592000$/);
  expect(LOGIN_MS).toBe(2_592_000_000);
  expect(callerOf({ headers: { cookie: cookie.split(';')[0] ?? '' } })).toBe('owner');
  const secure = loginOf(callOf({ url: at(`/?token=${SECRET}`), headers: { 'x-forwarded-proto': 'https' } }), parts);
  expect(secure?.headers.get('set-cookie')).toMatch(/; Secure$/);
});

test('nothing but opening the page logs in, and an unknown token is refused and counted', () => {
  for (const asked of [
    { url: at('/') },
    { url: at(`/api/runs?token=${SECRET}`) },
    { url: at(`/?token=${SECRET}`), method: 'POST' },
  ])
    expect(loginOf(callOf(asked), parts)).toBeUndefined();
  expect(() => loginOf(callOf({ url: at('/?token=nobody-knows-this-one') }), parts)).toThrow(
    'in the address is not known',
  );
  expect(strangers).toEqual(['?']);
});

test('a log-in that is used is made again after a day, and no other cookie is', () => {
  const headers = { cookie: loggedIn() };
  expect(renewedCookie(callOf({ headers }), parts)).toBeUndefined();
  clock.at += DAY_MS + 1;
  expect(renewedCookie(callOf({ headers }), parts)).toMatch(/^cadre-4000=owner\.\S+; Path=/);
  expect(renewedCookie(callOf({ headers: { cookie: 'cadre-4000=forged' } }), parts)).toBeUndefined();
  expect(renewedCookie(callOf({}), parts)).toBeUndefined();
});
