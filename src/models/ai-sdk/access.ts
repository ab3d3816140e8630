// The access to a provider's server, with all variables filled in.

import type { RemoteKind } from '../settings.ts';

/** A kind whose package is one of Cadre's own. */
export type OwnKind = Exclude<RemoteKind, 'ai-sdk'>;

export interface Access {
  readonly kind: OwnKind;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
}
