// A server over HTTP that a person can sign in to.

import type { SignInServer } from './record.ts';

export interface SignInEndpoint extends SignInServer {
  readonly kind: 'http';
  readonly headers: Readonly<Record<string, string>>;
}
