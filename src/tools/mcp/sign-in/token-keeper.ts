// The token of a server for the requests of a run: read from the store for each request, renewed before it ends and when the
// server refuses it.
// TOKEN-1. One process of the store renews at a time, under a lease that runs out by itself. Who waited reads again first.
// TOKEN-2. All that a renewal sends is over before its lease is. What it brought is written only where the sign-in is still
//          the one that was read: a person who signed out meanwhile stays signed out.
// TOKEN-3. A token that another process has renewed is never renewed again.
// TOKEN-4. A renewal that failed because nobody could be reached leaves a token in use that has not ended yet.

import { setTimeout as pause } from 'node:timers/promises';
import {
  type AuthProvider,
  auth as authorize,
  extractWWWAuthenticateParams,
  OAuthError,
  OAuthErrorCode,
  refreshAuthorization,
} from '@modelcontextprotocol/client';
import { FaultError, fail, fault } from '../../../kernel/fault.ts';
import { signInFault } from '../../../kernel/sign-in.ts';
import { givenClient, SignInProvider } from './provider.ts';
import { KeptRecord, type SignInRecord, type SignInServer, shownUrl, withTokens } from './record.ts';
import { REQUEST_MS, refusePlainServer, signInFetch } from './sign-in-fetch.ts';

/** The lease of a renewal (TOKEN-2). */
export const LEASE_MS = REQUEST_MS + 5000;
/** The time between two looks at a sign-in that another process renews. */
const LOOK_MS = 100;

/** The words with which the server refused a request. */
interface Refusal {
  readonly token: string | undefined;
  readonly scope?: string | undefined;
  readonly resourceMetadataUrl?: URL | undefined;
}

export class TokenKeeper implements AuthProvider {
  readonly #server: SignInServer;
  readonly #kept: KeptRecord;
  readonly #fetch: ReturnType<typeof signInFetch>;
  /** The token of the latest request. */
  #given: string | undefined;
  #isFit: Promise<void> | undefined;
  #renewal: Promise<string | undefined> | undefined;

  constructor(server: SignInServer) {
    const { vault } = server.auth;
    this.#server = server;
    this.#kept = new KeptRecord(server, vault ?? refuseStore(server.name));
    this.#fetch = signInFetch(server);
  }

  /** Undefined where there is none: the server then says whether it wants one. */
  async token(): Promise<string | undefined> {
    this.#isFit ??= refusePlainServer(this.#server);
    await this.#isFit;
    const record = (await this.#kept.read())?.record;
    this.#given = record?.tokens?.access_token;
    if (record !== undefined && isDue(record)) this.#given = await this.#renewed({ token: undefined });
    return this.#given;
  }

  async onUnauthorized({ response }: Parameters<NonNullable<AuthProvider['onUnauthorized']>>[0]): Promise<void> {
    const { scope, resourceMetadataUrl } = extractWWWAuthenticateParams(response);
    await this.#renewed({ token: this.#given ?? '', scope, resourceMetadataUrl });
  }

  /** Requests of one moment wait for the same renewal. */
  #renewed(refusal: Refusal): Promise<string | undefined> {
    const isFirst = this.#renewal === undefined;
    this.#renewal ??= this.#renewInTurn(refusal);
    const mine = this.#renewal;
    const over = (): void => {
      if (this.#renewal === mine) this.#renewal = undefined;
    };
    if (isFirst) mine.then(over, over); // those who wait see a failure
    return mine;
  }

  /** TOKEN-1 */
  async #renewInTurn(refusal: Refusal): Promise<string | undefined> {
    for (;;) {
      const current = await this.#kept.read();
      const known = this.#usable(current?.record, refusal);
      if (known !== undefined) return known; // TOKEN-3
      if (!this.#canRenew(current?.record)) throw this.#wanted(current?.record, refusal);
      const lease = await this.#kept.lease(LEASE_MS);
      if (lease === undefined) {
        await pause(LOOK_MS);
        continue;
      }
      try {
        const latest = await this.#kept.read(); // TOKEN-1
        const renewed = this.#usable(latest?.record, refusal);
        if (renewed !== undefined) return renewed;
        if (!this.#canRenew(latest?.record)) throw this.#wanted(latest?.record, refusal);
        const written = await this.#renew(latest, refusal);
        if (written !== undefined) return written;
      } finally {
        await lease.release();
      }
    }
  }

  /** Undefined if the sign-in is another one by now. */
  async #renew(latest: Awaited<ReturnType<KeptRecord['read']>>, refusal: Refusal): Promise<string | undefined> {
    const before = latest?.record ?? {};
    const expected = latest?.version ?? 'absent';
    let record: SignInRecord;
    try {
      record = await this.#fetched(before, refusal);
    } catch (thrown) {
      if (isOver(thrown)) {
        const { tokens: _tokens, expiresAt: _end, renewAt: _renew, ...rest } = before;
        const { client: _client, ...unregistered } = rest;
        const left = isUnknownClient(thrown) ? unregistered : rest;
        if (!(await this.#kept.write(left, expected))) return undefined;
        throw this.#wanted(left, refusal, `Its authorization server says: ${thrown.code}.`);
      }
      const { tokens, expiresAt = 0 } = before;
      if (refusal.token === undefined && tokens !== undefined && Date.now() < expiresAt) return tokens.access_token; // TOKEN-4
      throw thrown;
    }
    this.#kept.note(record);
    return (await this.#kept.write(record, expected)) ? record.tokens?.access_token : undefined; // TOKEN-2
  }

  async #fetched(before: SignInRecord, { scope, resourceMetadataUrl }: Refusal): Promise<SignInRecord> {
    const signal = AbortSignal.timeout(REQUEST_MS);
    const fetchFn: ReturnType<typeof signInFetch> = (url, init) => this.#fetch(url, { ...init, signal });
    const { name, url, auth } = this.#server;
    if (auth.grant === 'client_credentials') {
      const provider = new SignInProvider(this.#server, { record: before, scopes: auth.scopes ?? [] });
      const asked = auth.scopes?.join(' ') ?? scope;
      await authorize(provider, {
        serverUrl: url,
        fetchFn,
        ...(asked !== undefined && { scope: asked }),
        ...(resourceMetadataUrl && { resourceMetadataUrl }),
      });
      return provider.record;
    }
    const { discovery, tokens, client } = before;
    if (discovery === undefined || tokens?.refresh_token === undefined || client === undefined)
      return fail('internal', `The sign-in of "${name}" cannot be renewed.`);
    const { resourceMetadata, authorizationServerMetadata, authorizationServerUrl } = discovery;
    const renewed = await refreshAuthorization(authorizationServerUrl, {
      clientInformation: auth.clientId === undefined ? client : givenClient(this.#server),
      refreshToken: tokens.refresh_token,
      fetchFn,
      ...(authorizationServerMetadata && { metadata: authorizationServerMetadata }),
      ...(resourceMetadata && { resource: resourceMetadata.resource }),
    });
    const { issuer, scope: granted } = tokens;
    const kept = {
      ...(granted !== undefined && { scope: granted }),
      ...renewed,
      ...(issuer !== undefined && { issuer }),
    };
    return { ...withTokens(before, kept, Date.now()), ...(before.signedInAt && { signedInAt: before.signedInAt }) };
  }

  /** A token that was not refused, and that is not due. */
  #usable(record: SignInRecord | undefined, { token: refused }: Refusal): string | undefined {
    const token = record?.tokens?.access_token;
    if (record === undefined || token === undefined || token === refused) return undefined;
    return isDue(record) && this.#canRenew(record) ? undefined : token;
  }

  #canRenew(record: SignInRecord | undefined): boolean {
    return this.#server.auth.grant === 'client_credentials' || record?.tokens?.refresh_token !== undefined;
  }

  #wanted(record: SignInRecord | undefined, { scope }: Refusal, why = whyWanted(record)): FaultError {
    const { name, url, auth } = this.#server;
    if (auth.grant === 'client_credentials') {
      const advice = `Check clientId and clientSecret of mcpServers.${name}.auth in cadre.yaml.`;
      return new FaultError(fault('tool/source', `The MCP server "${name}" cannot be used. ${why} ${advice}`));
    }
    const scopes = auth.scopes === undefined ? scope?.split(/\s+/).filter((one) => one !== '') : undefined;
    const isMore = record?.tokens !== undefined && scopes !== undefined && scopes.length > 0;
    return new FaultError(signInFault({ server: name, url: shownUrl(url), why, ...(isMore && { scopes }) }));
  }
}

const refuseStore = (name: string): never =>
  fail(
    'tool/source',
    `mcpServers.${name} has auth, and this store keeps no sign-ins. Keep the runs in a folder or in Postgres: stores in ` +
      'Restate have no place for secrets.',
  );

const isDue = ({ renewAt }: SignInRecord): boolean => renewAt !== undefined && Date.now() >= renewAt;

function whyWanted(record: SignInRecord | undefined): string {
  if (record === undefined) return 'Nobody has signed in.';
  return record.tokens === undefined ? 'The sign-in is over.' : 'It refused the token of the sign-in.';
}

const OVER: readonly string[] = [
  OAuthErrorCode.InvalidGrant,
  OAuthErrorCode.InvalidClient,
  OAuthErrorCode.UnauthorizedClient,
];

/** The authorization server will not renew it, now or later. */
const isOver = (thrown: unknown): thrown is OAuthError => thrown instanceof OAuthError && OVER.includes(thrown.code);

const isUnknownClient = ({ code }: OAuthError): boolean => code === OAuthErrorCode.InvalidClient;
