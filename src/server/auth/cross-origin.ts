// The headers that let the pages of another origin read our answers, once `server.cors` has let them in.

import type { HonoRequest } from 'hono';

/**
 * No header allows cookies: such a page sends a token. The methods and headers that it asks for are allowed as they are,
 * because what a request may do is decided by its route and its token.
 */
export function crossOriginHeaders(origin: string, request: HonoRequest): Readonly<Record<string, string>> {
  const answer = {
    'access-control-allow-origin': origin,
    'access-control-expose-headers': 'location, retry-after, www-authenticate, mcp-session-id',
    'cross-origin-resource-policy': 'cross-origin',
    vary: 'Origin',
  };
  const [method, headers] = ['method', 'headers'].map((name) => request.header(`access-control-request-${name}`));
  if (request.method !== 'OPTIONS') return answer;
  return {
    ...answer,
    ...(method !== undefined && { 'access-control-allow-methods': method }),
    ...(headers !== undefined && { 'access-control-allow-headers': headers }),
    'access-control-max-age': '600',
  };
}
