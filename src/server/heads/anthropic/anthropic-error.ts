// Faults in the shape of Anthropic's errors.

import { present } from '../../../base/text/present.ts';
import type { HeadFault } from '../head-fault.ts';

/** Beside the words of the protocol: the fault's code, and the run that did not answer, how it ended, what it had written. */
export const anthropicError = ({ status, code, message, run, outcome, partial }: HeadFault) => ({
  type: 'error',
  error: { type: typeOf(status), message, code, ...present({ run, outcome, partial }) },
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
