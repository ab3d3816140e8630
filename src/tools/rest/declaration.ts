// The declaration of one HTTP endpoint, with all variables of the environment filled in.

import type { JsonSchema } from '../../kernel/schema.ts';

export interface RestDeclaration {
  /** `[a-zA-Z0-9_-]{1,64}`: what the model calls. */
  readonly name: string;
  readonly description: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** The URL with `{parameter}` in path and query. */
  readonly url: string;
  /** The headers with `{parameter}` in the values. */
  readonly headers: Readonly<Record<string, string>>;
  readonly parameters: JsonSchema;
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
  /** May it reach private, loopback and link-local addresses? Applies to the declared origin, not to redirects. */
  readonly allowPrivate?: boolean;
}
