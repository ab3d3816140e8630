// The failures of a request by which a server says that it wants a sign-in, or more of one.

import { InsufficientScopeError, SdkErrorCode, SdkHttpError } from '@modelcontextprotocol/client';
import { FaultError } from '../../../kernel/fault.ts';
import { signInFault, signInOf } from '../../../kernel/sign-in.ts';
import { type SignInServer, shownUrl } from './record.ts';

/** Undefined for any other failure. The request had no effect. */
export function wantedBy(thrown: unknown, { name, url, auth }: SignInServer): FaultError | undefined {
  if (thrown instanceof FaultError) return signInOf(thrown.fault) === undefined ? undefined : thrown;
  const wanted = { server: name, url: shownUrl(url) };
  if (auth.grant === 'client_credentials') return undefined;
  if (thrown instanceof InsufficientScopeError) {
    const scopes = thrown.requiredScope?.split(/\s+/).filter((scope) => scope !== '') ?? [];
    const why = scopes.length === 0 ? 'The sign-in allows too little.' : `It asks for more: ${scopes.join(' ')}.`;
    return new FaultError(signInFault({ ...wanted, why, ...(scopes.length > 0 && { scopes }) }));
  }
  const isRefused = thrown instanceof SdkHttpError && thrown.code === SdkErrorCode.ClientHttpAuthentication;
  return isRefused ? new FaultError(signInFault({ ...wanted, why: 'It refused a token that is new.' })) : undefined;
}
