// The server as one function from a request to a response: checks that hold for every request, then the routes, the
// heads and the page.

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Context } from 'hono';
import { type Fault, fail, fault, faultOf } from '../../kernel/fault.ts';
import type { Accesses } from '../access.ts';
import type { Address } from '../address.ts';
import { crossOriginHeaders } from '../auth/cross-origin.ts';
import { refuseForeign } from '../auth/origin.ts';
import { loginOf, type RequestTokens, renewedCookie, requestCaller } from '../auth/request-caller.ts';
import { requirePermission } from '../caller.ts';
import type { Head, ServerApp, ServerContext, ServerEnv } from '../context.ts';
import { problemHeaders, statusOf } from '../problem.ts';
import { opensPage, pageProblem, problemResponse } from '../problem-response.ts';
import type { RefusalLog } from '../refusal-log.ts';
import { requestText } from '../request-text.ts';
import { sendPieces } from '../send-pieces.ts';
import { checkedBody, checkedFields } from './checked.ts';
import type { Reply, Route } from './route.ts';

interface AppParts extends RequestTokens {
  readonly context: ServerContext;
  readonly routes: readonly Route[];
  readonly heads: readonly Head[];
  readonly accesses: Accesses;
  /** Told of each request that is refused. */
  readonly refused: RefusalLog;
  /** The address that it listens on, for the check of `Host`. */
  host(): string;
  /** The page. */
  readonly page: (call: Context<ServerEnv>) => Promise<Response>;
}

/** The headers that every answer has beside the token. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; object-src 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

export async function openApp(parts: AppParts): Promise<ServerApp> {
  const { Hono } = await import('hono');
  const { RESPONSE_ALREADY_SENT } = await import('@hono/node-server/utils/response');
  // Where the adapter was loaded before, this is a `Response` of its own, and would be written once more from its cache:
  // whatever else of it is read makes it a plain one.
  void RESPONSE_ALREADY_SENT.url;
  const app = new Hono<ServerEnv>();
  const { context, routes, heads, page } = parts;
  const headRoutes = heads.flatMap((head) => head.routes);
  const addresses: readonly Address[] = [...routes, ...headRoutes];
  const open = new Set(addresses.flatMap(({ permission, path }) => (permission === 'open' ? [path] : [])));
  const headOf = (path: string): Head | undefined =>
    heads.find(({ paths }) => paths.some((one) => path === one || path.startsWith(`${one}/`)));
  const problem = (found: Fault, call: Context<ServerEnv>): Response => {
    const { path, method } = call.req;
    parts.refused({ method, path, by: call.get('caller')?.name, code: statusOf(found), message: found.message });
    const head = headOf(call.req.path);
    const own = head?.problem(found, context);
    const isPage = head === undefined && opensPage(call);
    const response = own ?? (isPage ? pageProblem(found) : problemResponse(found, call, context));
    for (const [name, value] of Object.entries(problemHeaders(found))) response.headers.set(name, value);
    return response;
  };

  app.onError((thrown, call) => {
    const found = faultOf(thrown);
    if (found.code === 'internal') context.log(`${call.get('requestId') ?? ''} ${thrown.stack ?? String(thrown)}`);
    return problem(found, call);
  });
  app.use(async (call, next) => {
    call.set('requestId', randomUUID());
    const { incoming, outgoing } = call.env;
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) outgoing.setHeader(name, value);
    const header = (name: string): string | undefined => {
      const value = incoming.headers[name];
      return typeof value === 'string' ? value : undefined;
    };
    const { path, method } = call.req;
    const { hosts, cors } = context.settings();
    const front = refuseForeign(
      {
        method,
        path,
        host: header('host'),
        origin: header('origin'),
        fetchSite: header('sec-fetch-site'),
        fetchMode: header('sec-fetch-mode'),
      },
      { host: parts.host(), hosts, cors },
    );
    if (front !== undefined) {
      call.set('front', front);
      for (const [name, value] of Object.entries(crossOriginHeaders(front, call.req))) outgoing.setHeader(name, value);
      if (method === 'OPTIONS') return call.body(null, 204);
    }
    const login = loginOf(call, parts);
    if (login !== undefined) return login;
    if (open.has(path)) return next();
    const { caller, find } = requestCaller(call, parts);
    parts.rate.take(caller.name);
    call.set('caller', caller);
    call.set('access', parts.accesses.open(find, outgoing));
    call.set('refused', (code, message) => parts.refused({ method, path, by: caller.name, code, message }));
    return next();
  });
  for (const route of routes) {
    app.on(route.method, [route.path], async (call) => {
      permit(route, call);
      const reply = await answered(route, call, context);
      if (reply.kind === 'pieces') await sendPieces(call.env.outgoing as ServerResponse, reply.type, reply.pieces);
      return reply.kind === 'sent' || reply.kind === 'pieces' ? RESPONSE_ALREADY_SENT : responseOf(reply, call);
    });
  }
  for (const route of headRoutes) {
    app.on(route.method, [route.path], async (call) => {
      permit(route, call);
      return (await route.answer(call, context)) ?? RESPONSE_ALREADY_SENT;
    });
  }
  app.all('*', async (call) => {
    const { path, method } = call.req;
    const isOwn = headOf(path) !== undefined || /^\/api(\/|$)/.test(path);
    if (!isOwn && (method === 'GET' || method === 'HEAD')) {
      const response = await page(call);
      const renewed = renewedCookie(call, parts);
      if (renewed !== undefined) response.headers.set('set-cookie', renewed);
      return response;
    }
    const others = addresses.filter((route) => isAt(route, path)).map((route) => route.method);
    if (others.length > 0) {
      fail('request/method', `${path} takes ${others.join(' and ')}, not ${method}.`, { allow: others.join(', ') });
    }
    return problem(fault('request/not-found', `There is nothing at ${method} ${path}. See /openapi.json.`), call);
  });
  return app;
}

/** Throws `request/forbidden`. */
function permit({ permission }: Address, call: Context<ServerEnv>): void {
  if (permission !== 'open' && permission !== 'token') requirePermission(call.get('caller'), permission);
}

async function answered(route: Route, call: Context<ServerEnv>, context: ServerContext): Promise<Reply> {
  const { req, env } = call;
  const { incoming, outgoing } = env;
  const params = checkedFields(route.params ?? {}, req.param() as Record<string, string>, 'path');
  const query = checkedFields(route.query ?? {}, req.query(), 'query');
  const body =
    route.body &&
    checkedBody(route.body, await requestText(incoming, context.settings().maxBodyBytes), req.header('content-type'));
  const caller = call.get('caller');
  const access = call.get('access');
  const header = (name: string): string | undefined => req.header(name);
  return route.answer({ caller, access, params, query, body, header, incoming, outgoing }, context);
}

function responseOf(reply: Exclude<Reply, { kind: 'sent' | 'pieces' }>, call: Context<ServerEnv>): Response {
  switch (reply.kind) {
    case 'json':
      return new Response(JSON.stringify(reply.body), {
        status: reply.status,
        headers: { 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store', ...reply.headers },
      });
    case 'bytes':
      return new Response(reply.body, {
        status: reply.status,
        headers: { 'cache-control': 'no-store', ...reply.headers },
      });
    case 'empty':
      return call.body(null, reply.status as 204);
  }
}

/** True if a path is that of a route, whatever the method. */
const isAt = ({ path: pattern }: Address, path: string): boolean =>
  new RegExp(
    `^${pattern.replaceAll('.', '\\.').replaceAll(/:\w+(\{[^}]*\})?/g, (_, slashes) => (slashes ? '.+' : '[^/]+'))}$`,
  ).test(path);
