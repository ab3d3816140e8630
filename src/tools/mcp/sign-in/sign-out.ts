// Signs out of an MCP server: its tokens are revoked where its authorization server can do that (RFC 7009), and forgotten.

import { selectClientAuthMethod } from '@modelcontextprotocol/client';
import { faultOf } from '../../../kernel/fault.ts';
import { KeptRecord, type SignInRecord, type SignInServer } from './record.ts';
import { signInFetch } from './sign-in-fetch.ts';

/** `revoked`: the tokens are good for nothing any more. Otherwise `why` says why they may be. */
export type SignedOut =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'revoked' }
  | { readonly kind: 'forgotten'; readonly why: string };

export async function signOut(server: SignInServer): Promise<SignedOut> {
  const { vault } = server.auth;
  const kept = vault && new KeptRecord(server, vault);
  const record = (await kept?.read())?.record;
  if (kept === undefined || record === undefined) return { kind: 'nobody' };
  await kept.remove(); // first: whoever renews it at this moment finds that it is gone
  if (record.tokens === undefined) return { kind: 'revoked' };
  try {
    return await revoke(record, server);
  } catch (thrown) {
    return { kind: 'forgotten', why: faultOf(thrown).message };
  }
}

async function revoke({ discovery, tokens, client }: SignInRecord, server: SignInServer): Promise<SignedOut> {
  const metadata = discovery?.authorizationServerMetadata;
  const endpoint = metadata && 'revocation_endpoint' in metadata ? metadata.revocation_endpoint : undefined;
  if (endpoint === undefined) return { kind: 'forgotten', why: 'Its authorization server cannot revoke tokens.' };
  const fetchFn = signInFetch(server);
  // A refresh token first: with it goes what was made of it.
  for (const [hint, token] of [
    ['refresh_token', tokens?.refresh_token],
    ['access_token', tokens?.access_token],
  ] as const) {
    if (token === undefined) continue;
    const body = new URLSearchParams({ token, token_type_hint: hint });
    const headers = new Headers({ 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' });
    if (client !== undefined)
      authenticate(client, metadata?.token_endpoint_auth_methods_supported ?? [], headers, body);
    const response = await fetchFn(endpoint, { method: 'POST', headers, body });
    if (!response.ok) return { kind: 'forgotten', why: `Its authorization server answered ${response.status}.` };
  }
  return { kind: 'revoked' };
}

/** As the official client does for requests of tokens. */
function authenticate(
  client: NonNullable<SignInRecord['client']>,
  supported: readonly string[],
  headers: Headers,
  body: URLSearchParams,
): void {
  const { client_id: id, client_secret: secret = '' } = client;
  const method = selectClientAuthMethod(client, [...supported]);
  if (method === 'client_secret_basic') {
    headers.set('authorization', `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`);
    return;
  }
  body.set('client_id', id);
  if (method === 'client_secret_post') body.set('client_secret', secret);
}
