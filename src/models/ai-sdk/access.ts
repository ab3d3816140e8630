// What is needed to reach a provider's server, with all variables put in.

import type { RemoteKind } from '../settings.ts';

export interface Access {
  readonly kind: RemoteKind;
  readonly apiKey?: string;
  readonly baseUrl?: string;
  readonly headers: Readonly<Record<string, string>>;
}
