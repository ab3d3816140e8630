// A sign-in as this tool source keeps it in the vault of the store, and the one way to read and write it.
// SIGNED-1. It is good for one name, one address and one client: another url under the same name gets none of it. The
//           official client binds tokens and registration to the issuer that gave them, and discards them at another.
// SIGNED-2. Its tokens are secrets of redaction before anybody can see them: when they come, and whenever they are read.

import { createHash } from 'node:crypto';
import type {
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';

/** The part of a store that keeps sign-ins. */
export interface SignInVault {
  get(id: string): Promise<{ readonly body: string; readonly version: string } | undefined>;
  put(id: string, signIn: { readonly head: string; readonly body: string }, expected: string): Promise<boolean>;
  remove(id: string): Promise<boolean>;
  lease(id: string, forMs: number): Promise<{ release(): Promise<void> } | undefined>;
}

/** The way to a token of one server, with all variables filled in. */
export interface SignInClient {
  readonly grant: 'authorization_code' | 'client_credentials';
  readonly clientId?: string;
  readonly clientSecret?: string;
  readonly clientMetadataUrl?: string;
  readonly scopes?: readonly string[];
  /** Absent if the store keeps no sign-ins, or none was opened. */
  readonly vault?: SignInVault | undefined;
  /** Makes a value a secret of redaction. */
  noteSecret(name: string, value: string): void;
}

/** The server that a sign-in is for. */
export interface SignInServer {
  readonly name: string;
  readonly url: string;
  readonly auth: SignInClient;
}

export interface SignInRecord {
  readonly client?: StoredOAuthClientInformation;
  /** The port of the registered redirect address. */
  readonly port?: number;
  readonly tokens?: StoredOAuthTokens;
  /** The times at which the access token ends, and from which on it is renewed: milliseconds since 1970. */
  readonly expiresAt?: number;
  readonly renewAt?: number;
  readonly signedInAt?: number;
  /** The words of the server and of its authorization server about themselves. */
  readonly discovery?: OAuthDiscoveryState;
}

/** Said of a sign-in without opening it. */
export interface SignInHead {
  readonly server: string;
  readonly url: string;
  readonly issuer?: string;
  readonly scope?: string;
  readonly isSignedIn: boolean;
  readonly isRenewed: boolean;
  readonly expiresAt?: number;
  readonly signedInAt?: number;
}

/** SIGNED-1. */
export function signInId({ name, url, auth }: SignInServer): string {
  const client = auth.clientId ?? auth.clientMetadataUrl ?? null;
  return createHash('sha256')
    .update(JSON.stringify([name, url, auth.grant, client]))
    .digest('hex');
}

export const recordIn = (body: string): SignInRecord => JSON.parse(body) as SignInRecord;

/** The values of a kept sign-in that must not be recorded anywhere else, each with the name of its mark. */
export function secretsOfSignIn(head: string, body: string): readonly (readonly [name: string, value: string])[] {
  const { server } = JSON.parse(head) as SignInHead;
  return secretsIn(server, recordIn(body));
}

function secretsIn(server: string, { tokens, client }: SignInRecord): readonly (readonly [string, string])[] {
  const named = [
    ['access token', tokens?.access_token],
    ['refresh token', tokens?.refresh_token],
    ['id token', tokens?.id_token],
    ['client secret', client?.client_secret],
    [
      'registration token',
      (client as { readonly registration_access_token?: string } | undefined)?.registration_access_token,
    ],
  ] as const;
  return named.flatMap(([what, value]) => (value === undefined ? [] : [[`${what} of ${server}`, value] as const]));
}

const headOf = ({ name, url }: SignInServer, record: SignInRecord): SignInHead => {
  const { tokens, expiresAt, signedInAt } = record;
  return {
    server: name,
    url: shownUrl(url),
    ...(tokens?.issuer !== undefined && { issuer: tokens.issuer }),
    ...(tokens?.scope !== undefined && { scope: tokens.scope }),
    isSignedIn: tokens !== undefined,
    isRenewed: tokens?.refresh_token !== undefined,
    ...(expiresAt !== undefined && { expiresAt }),
    ...(signedInAt !== undefined && { signedInAt }),
  };
};

/** An address without its query, which may hold a key. */
export const shownUrl = (url: string): string => {
  if (!URL.canParse(url)) return '';
  const { origin, pathname } = new URL(url);
  return origin + pathname;
};

/** The sign-in of one server. SIGNED-2. */
export class KeptRecord {
  readonly id: string;
  readonly #server: SignInServer;
  readonly #vault: SignInVault;

  constructor(server: SignInServer, vault: SignInVault) {
    this.#server = server;
    this.#vault = vault;
    this.id = signInId(server);
  }

  async read(): Promise<{ readonly record: SignInRecord; readonly version: string } | undefined> {
    const kept = await this.#vault.get(this.id);
    if (kept === undefined) return undefined;
    const record = recordIn(kept.body);
    this.note(record);
    return { record, version: kept.version };
  }

  /** False if it is not as expected any more. */
  async write(record: SignInRecord, expected: string): Promise<boolean> {
    this.note(record);
    const head = JSON.stringify(headOf(this.#server, record));
    return this.#vault.put(this.id, { head, body: JSON.stringify(record) }, expected);
  }

  note(record: SignInRecord): void {
    const { name, auth } = this.#server;
    for (const [what, value] of secretsIn(name, record)) auth.noteSecret(what, value);
  }

  remove(): Promise<boolean> {
    return this.#vault.remove(this.id);
  }

  lease(forMs: number): Promise<{ release(): Promise<void> } | undefined> {
    return this.#vault.lease(this.id, forMs);
  }
}

/** The tokens with the times that follow from them. */
export function withTokens(record: SignInRecord, tokens: StoredOAuthTokens, now: number): SignInRecord {
  const { expiresAt: _end, renewAt: _renew, ...rest } = record;
  const seconds = tokens.expires_in;
  if (seconds === undefined) return { ...rest, tokens, signedInAt: now };
  const margin = Math.min(LONGEST_MARGIN_MS, seconds * 1000 * MARGIN);
  const expiresAt = now + seconds * 1000;
  return { ...rest, tokens, expiresAt, renewAt: expiresAt - margin, signedInAt: now };
}

/** A token is renewed when this much of its time is left. */
const MARGIN = 0.2;
const LONGEST_MARGIN_MS = 60_000;
