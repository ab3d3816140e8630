// The tools that a session may call on its last turn are fewer than it is offered. A provider that cannot say so without
// another list is sent those alone, at the price of its cache.

import type { ProviderRequest } from './provider.ts';

/** The same request with the tools that may be called and no others. */
export function callableOnly(request: ProviderRequest): ProviderRequest {
  const { callable, ...rest } = request;
  return callable === undefined
    ? request
    : { ...rest, tools: rest.tools.filter(({ name }) => callable.includes(name)) };
}
