// Tells the official client who we are, and takes what it finds out and gets. Everything stays here until the caller writes the
// record.

import type {
  OAuthClientMetadata,
  OAuthClientProvider,
  OAuthDiscoveryState,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client';
import { fail } from '../../../kernel/fault.ts';
import { type SignInRecord, type SignInServer, withTokens } from './record.ts';

interface SignInProgress {
  readonly record: SignInRecord;
  /** The scopes to ask for. Empty: those that the server names. */
  readonly scopes: readonly string[];
  /** Absent where the client itself signs in. */
  readonly person?: {
    readonly redirectUrl: string;
    readonly state: string;
    /** Is given the address at which the person signs in. */
    open(address: URL): void;
  };
}

export class SignInProvider implements OAuthClientProvider {
  record: SignInRecord;
  readonly clientMetadataUrl?: string;
  readonly saveClientInformation?: (client: StoredOAuthClientInformation) => void;
  readonly prepareTokenRequest?: (scope?: string) => URLSearchParams;
  readonly #server: SignInServer;
  readonly #progress: SignInProgress;
  #discovery: OAuthDiscoveryState | undefined;
  #verifier = '';

  constructor(server: SignInServer, progress: SignInProgress) {
    const { clientId, clientMetadataUrl } = server.auth;
    this.#server = server;
    this.#progress = progress;
    this.record = progress.record;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
    if (clientId === undefined)
      this.saveClientInformation = (client) => {
        this.record = { ...this.record, client };
      };
    if (progress.person === undefined)
      this.prepareTokenRequest = (scope) =>
        new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) });
  }

  get redirectUrl(): string | undefined {
    return this.#progress.person?.redirectUrl;
  }

  get clientMetadata(): OAuthClientMetadata {
    const { person, scopes } = this.#progress;
    const { clientSecret } = this.#server.auth;
    return {
      client_name: 'Cadre',
      redirect_uris: person === undefined ? [] : [person.redirectUrl],
      grant_types: person === undefined ? ['client_credentials'] : ['authorization_code', 'refresh_token'],
      ...(person !== undefined && { response_types: ['code'] }),
      token_endpoint_auth_method: clientSecret === undefined ? 'none' : 'client_secret_basic',
      ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    };
  }

  state(): string {
    return this.#progress.person?.state ?? '';
  }

  /** A given client belongs to the issuer that it was used with first. */
  clientInformation(context?: { readonly issuer: string }): StoredOAuthClientInformation | undefined {
    const { clientId } = this.#server.auth;
    const { client } = this.record;
    if (clientId === undefined) return client;
    const issuer = (client?.client_id === clientId ? client.issuer : undefined) ?? context?.issuer;
    const given = { ...givenClient(this.#server), ...(issuer !== undefined && { issuer }) };
    this.record = { ...this.record, client: given };
    return given;
  }

  /** A person signs in anew: what was granted before is not asked about. */
  tokens(): StoredOAuthTokens | undefined {
    return undefined;
  }

  saveTokens(tokens: StoredOAuthTokens): void {
    const { record } = this;
    this.record = withTokens(this.#discovery ? { ...record, discovery: this.#discovery } : record, tokens, Date.now());
  }

  redirectToAuthorization(address: URL): void {
    this.#progress.person?.open(address);
  }

  saveCodeVerifier(verifier: string): void {
    this.#verifier = verifier;
  }

  codeVerifier(): string {
    return this.#verifier === '' ? fail('internal', 'The sign-in has not begun.') : this.#verifier;
  }

  saveDiscoveryState(state: OAuthDiscoveryState): void {
    this.#discovery = state;
  }

  discoveryState(): OAuthDiscoveryState | undefined {
    return this.#discovery;
  }

  /** The authorization server does not know what we have of it any more. */
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery'): void {
    if (scope === 'client' || scope === 'all') {
      const { client: _client, ...rest } = this.record;
      this.record = rest;
    }
  }
}

/** The client that cadre.yaml names. */
export function givenClient({ auth }: SignInServer): StoredOAuthClientInformation {
  const { clientId = '', clientSecret } = auth;
  return { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) };
}
