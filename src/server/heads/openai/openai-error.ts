// Faults in the shape of OpenAI's errors.

import type { HeadFault } from '../head-fault.ts';

export function openAiError(
  { status, code, message, run, outcome, partial }: HeadFault,
  param?: string,
): {
  readonly error: {
    readonly message: string;
    readonly type: string;
    readonly param: string | null;
    readonly code: string;
    /** The run that did not answer, how it ended, and what it had written. */
    readonly run?: string;
    readonly outcome?: string;
    readonly partial?: string;
  };
} {
  return {
    error: {
      message,
      type: typeOf(status),
      param: param ?? null,
      code: code === 'agent/unknown' ? 'model_not_found' : code, // clients look for it by this name
      ...(run !== undefined && { run }),
      ...(outcome !== undefined && { outcome }),
      ...(partial !== undefined && { partial }),
    },
  };
}

function typeOf(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 403) return 'permission_error';
  if (status === 402) return 'insufficient_quota';
  if (status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}
