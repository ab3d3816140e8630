// Faults in the shape of OpenAI's errors.

import { present } from '../../../base/text/present.ts';
import type { HeadFault } from '../head-fault.ts';

/** Beside the words of the protocol: the run that did not answer, how it ended, and what it had written. */
export const openAiError = ({ status, code, message, run, outcome, partial }: HeadFault, param?: string) => ({
  error: {
    message,
    type: typeOf(status),
    param: param ?? null,
    code: code === 'agent/unknown' ? 'model_not_found' : code, // clients look for it by this name
    ...present({ run, outcome, partial }),
  },
});

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 402) return 'insufficient_quota';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
