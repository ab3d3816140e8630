// A person signs in to an MCP server: its sign-in page in their browser, and the token that comes of it into the store.
// PERSON-1. The browser gets https and loopback addresses alone: the server names them.
// PERSON-2. The code is exchanged only if it came with the state of this sign-in, from the issuer that it began with.
// PERSON-4. A server of the protocol of 2025-03-26 names no authorization server: it is its own, at the origin that cadre.yaml
//           names, and what it says there may name another issuer. Nowhere else may it.
// PERSON-3. A registration stays with its port, so that the next sign-in goes on with it. If that port is taken, or more
//           scopes are asked for than it has, the client registers itself again.

import { randomBytes } from 'node:crypto';
import {
  type AuthOptions,
  auth as authorize,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  IssuerMismatchError,
  isStrictScopeSuperset,
  OAuthError,
  StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client';
import { sameOriginFetch } from '../../../base/net/same-origin-fetch.ts';
import { fail, faultOf } from '../../../kernel/fault.ts';
import { type Callback, listenForCallback, pastedParameters } from './callback.ts';
import { SignInProvider } from './provider.ts';
import { KeptRecord, type SignInRecord } from './record.ts';
import type { SignInEndpoint } from './server.ts';
import { isLoopbackUrl, signInFetch } from './sign-in-fetch.ts';

export async function signInByPerson(
  server: SignInEndpoint,
  person: {
    /** Beyond those that are configured, or that were granted before. */
    readonly scopes?: readonly string[];
    /** The port of the redirect address, if it has to be a certain one. */
    readonly port?: number | undefined;
    readonly signal: AbortSignal;
    /** Shows the address at which the person signs in. */
    open(address: URL): void;
    /** The address that the browser was sent to, where a person gives it by hand. */
    pasted?(signal: AbortSignal): Promise<string>;
  },
): Promise<SignInRecord> {
  const { vault, grant } = server.auth;
  if (vault === undefined) return fail('internal', 'A sign-in needs a store that keeps it.');
  if (grant === 'client_credentials')
    return fail('usage', `mcpServers.${server.name} signs in by itself, with its clientId and clientSecret.`);
  const kept = new KeptRecord(server, vault);
  const before = (await kept.read())?.record ?? {};
  const challenge = await challengeOf(server, person.signal);
  const state = randomBytes(24).toString('base64url');
  const callback = await listenAt(person.port, before.port, state);
  try {
    const scope = scopeToAsk(server, before, challenge.scope, person.scopes);
    const provider = new SignInProvider(server, {
      record: { ...(isRegistered(before, callback.port, scope) ? before : unregistered(before)), port: callback.port },
      scopes: server.auth.scopes ?? [],
      person: { redirectUrl: callback.redirectUrl, state, open: (address) => person.open(fit(address)) },
    });
    const fetchFn = signInFetch(server);
    await begin(provider, {
      serverUrl: server.url,
      fetchFn,
      ...(scope !== undefined && { scope }),
      ...(challenge.resourceMetadataUrl && { resourceMetadataUrl: challenge.resourceMetadataUrl }),
    });
    const parameters = await returned(callback, state, person);
    const exchange = new StreamableHTTPClientTransport(new URL(server.url), { authProvider: provider, fetch: fetchFn });
    await exchange.finishAuth(parameters); // PERSON-2
    await kept.write(provider.record, 'any');
    return provider.record;
  } catch (thrown) {
    return refused(thrown, server.name);
  } finally {
    callback.close();
  }
}

/** PERSON-4 */
async function begin(
  provider: SignInProvider,
  options: AuthOptions & { readonly fetchFn: ReturnType<typeof signInFetch> },
): Promise<void> {
  const statuses: number[] = [];
  const isUnnamed = (): boolean => statuses.length > 0 && statuses.every((status) => status === 404);
  const fetchFn: typeof options.fetchFn = async (url, init) => {
    const response = await options.fetchFn(url, init);
    if (new URL(url).pathname.startsWith(NAMES_ITS_SERVER)) statuses.push(response.status);
    return response;
  };
  try {
    await authorize(provider, { ...options, fetchFn });
  } catch (thrown) {
    if (!(thrown instanceof IssuerMismatchError) || thrown.kind !== 'metadata' || !isUnnamed()) throw thrown;
    const stillUnnamed: typeof fetchFn = async (url, init) => {
      const response = await fetchFn(url, init);
      return isUnnamed()
        ? response
        : fail('tool/source', 'The server names another authorization server now. Try again.');
    };
    await authorize(provider, { ...options, fetchFn: stillUnnamed, skipIssuerMetadataValidation: true });
  }
}

/** The document in which a server names its authorization server (RFC 9728). */
const NAMES_ITS_SERVER = '/.well-known/oauth-protected-resource';

/** Says what the authorization server said, as a fault. */
function refused(thrown: unknown, name: string): never {
  if (thrown instanceof OAuthError) {
    const said = thrown.message === thrown.code ? thrown.code : `${thrown.code}: ${thrown.message}`;
    fail('tool/source', `The sign-in to the MCP server "${name}" was refused. Its authorization server says: ${said}`);
  }
  const { code, message } = faultOf(thrown);
  if (code !== 'internal') throw thrown;
  return fail('tool/source', `Nobody could be signed in to the MCP server "${name}": ${message}`);
}

/** Asks the server as somebody who has not signed in: it says where to do that, and for which scopes. */
async function challengeOf(
  server: SignInEndpoint,
  signal: AbortSignal,
): Promise<ReturnType<typeof extractWWWAuthenticateParams>> {
  const response = await sameOriginFetch(server.url, {
    method: 'POST',
    headers: {
      ...server.headers,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'cadre', version: '1' } },
    }),
    signal,
  });
  await response.body?.cancel();
  return response.status === 401 || response.status === 403 ? extractWWWAuthenticateParams(response) : {};
}

async function listenAt(asked: number | undefined, before: number | undefined, state: string): Promise<Callback> {
  const wanted = await listenForCallback(state, asked ?? before ?? 0);
  if (wanted !== undefined) return wanted;
  if (asked !== undefined)
    return fail('usage', `Port ${asked} is taken. Name another one with --port, or leave it out.`);
  return (await listenForCallback(state, 0)) ?? fail('internal', 'There is no free port on this machine.');
}

/** PERSON-3. A client is registered for certain scopes, and asks for no others. */
function isRegistered({ client, port }: SignInRecord, now: number, scope: string | undefined): boolean {
  const { scope: registered } = (client ?? {}) as { readonly scope?: string };
  return port === now && (registered === undefined || !isStrictScopeSuperset(scope, registered));
}

function unregistered({ client: _client, ...rest }: SignInRecord): SignInRecord {
  return rest;
}

/** PERSON-1 */
function fit(address: URL): URL {
  const isFit = address.protocol === 'https:' || (address.protocol === 'http:' && isLoopbackUrl(address));
  return isFit ? address : fail('tool/source', `The sign-in page is at ${address.origin}, which is not https.`);
}

/** Configured scopes are asked for as they are; else those that the server names. What was granted before is kept. */
function scopeToAsk(
  { auth }: SignInEndpoint,
  { tokens }: SignInRecord,
  challenged: string | undefined,
  more: readonly string[] = [],
): string | undefined {
  const named = auth.scopes?.join(' ') ?? challenged;
  return more.length === 0 ? named : computeScopeUnion(named, tokens?.scope, more.join(' '));
}

async function returned(
  callback: Callback,
  state: string,
  { signal, pasted }: Parameters<typeof signInByPerson>[1],
): Promise<URLSearchParams> {
  if (pasted === undefined) return callback.answer(signal);
  const over = new AbortController();
  const first = AbortSignal.any([signal, over.signal]);
  try {
    const byHand = pasted(first).then((address) => pastedParameters(address, state));
    return await Promise.race([callback.answer(first), byHand]);
  } finally {
    over.abort();
  }
}
