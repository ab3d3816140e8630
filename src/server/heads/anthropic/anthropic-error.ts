// Faults in the shape of Anthropic's errors.

import type { HeadFault } from '../head-fault.ts';

export const anthropicError = ({
  status,
  code,
  message,
  run,
  outcome,
  partial,
}: HeadFault): {
  readonly type: 'error';
  readonly error: {
    readonly type: string;
    readonly message: string;
    /** The fault's code, and the run that did not answer, how it ended, and what it had written. */
    readonly code: string;
    readonly run?: string;
    readonly outcome?: string;
    readonly partial?: string;
  };
} => ({
  type: 'error',
  error: {
    type: typeOf(status),
    message,
    code,
    ...(run !== undefined && { run }),
    ...(outcome !== undefined && { outcome }),
    ...(partial !== undefined && { partial }),
  },
});

function typeOf(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
      return 'billing_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 413:
      return 'request_too_large';
    case 429:
      return 'rate_limit_error';
    case 503:
    case 529:
      return 'overloaded_error';
    case 504:
      return 'timeout_error';
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}
