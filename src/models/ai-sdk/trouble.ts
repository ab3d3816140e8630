// What went wrong at a provider, as a fault. Classified by status, error code and class, never by message text. What the
// provider says is told whole here: it is cut after its secrets are gone.

import {
  APICallError,
  EmptyResponseBodyError,
  InvalidArgumentError,
  InvalidPromptError,
  InvalidResponseDataError,
  JSONParseError,
  NoContentGeneratedError,
  NoSuchModelError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { type Fault, type FaultCode, fault, faultOf } from '../../kernel/fault.ts';
import { codeOfStatus, retryAfterOf } from '../http-status.ts';
import type { ModelEvent } from '../provider.ts';

type ReplyFault = Extract<ModelEvent, { type: 'reply-fault' }>;

/** Names that providers give to errors, in the body of an answer or in the middle of a stream. */
const NAMED: Readonly<Record<string, FaultCode>> = {
  rate_limit_error: 'model/rate-limit',
  rate_limit_exceeded: 'model/rate-limit',
  RESOURCE_EXHAUSTED: 'model/rate-limit',
  overloaded_error: 'model/server',
  server_error: 'model/server',
  api_error: 'model/server',
  timeout_error: 'model/timeout',
  authentication_error: 'model/refused-key',
  permission_error: 'model/refused-key',
  invalid_api_key: 'model/refused-key',
  invalid_request_error: 'model/bad-request',
  not_found_error: 'model/bad-request',
  request_too_large: 'model/bad-request',
  context_length_exceeded: 'model/bad-request',
  content_filter: 'model/content-filter',
  content_policy_violation: 'model/content-filter',
};

export function troubleOf(error: unknown, provider: string, signal: AbortSignal, now: number): ReplyFault {
  if (signal.aborted) return { type: 'reply-fault', fault: fault('cancelled', 'the model call was cancelled.') };
  if (APICallError.isInstance(error)) return ofHttp(error, provider, now);
  return { type: 'reply-fault', fault: ofOther(error, provider) };
}

function ofHttp(error: APICallError, provider: string, now: number): ReplyFault {
  const { statusCode: status, responseHeaders: headers } = error;
  // A connection that breaks after the headers comes with their status, which says nothing about it.
  const broke = status === undefined || (status < 400 && systemCode(error) !== undefined);
  if (broke) return { type: 'reply-fault', fault: unreachable(error, provider) };
  if (status < 400) {
    return {
      type: 'reply-fault',
      fault: fault('model/malformed', `${provider} answered something that is not a reply: ${error.message}`),
    };
  }
  const named = nameIn(error.data);
  const code = named === 'model/content-filter' ? named : codeOfStatus(status);
  const wait = retryAfterOf(headers, now);
  return {
    type: 'reply-fault',
    fault: fault(code, `${provider} answered ${status}: ${error.message}`, { status }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

function ofOther(error: unknown, provider: string): Fault {
  if (InvalidResponseDataError.isInstance(error)) {
    // The SDK's way to say that a stream was over without its end.
    const code = error.data === undefined ? 'model/cut-off' : 'model/malformed';
    return fault(code, `${provider}: ${error.message}`);
  }
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) {
    return fault('model/malformed', `${provider} sent something that is not understood: ${error.message}`);
  }
  if (EmptyResponseBodyError.isInstance(error) || NoContentGeneratedError.isInstance(error)) {
    return fault('model/empty', `${provider} sent an empty reply.`);
  }
  if (
    UnsupportedFunctionalityError.isInstance(error) ||
    InvalidPromptError.isInstance(error) ||
    InvalidArgumentError.isInstance(error) ||
    NoSuchModelError.isInstance(error)
  ) {
    return fault('model/bad-request', `${provider} cannot take this request: ${error.message}`);
  }
  if (systemCode(error) !== undefined) return unreachable(error as Error, provider);
  const named = nameIn(error);
  if (named !== undefined) return fault(named, `${provider} broke off: ${messageIn(error)}`);
  if (error instanceof Error) return faultOf(error);
  return fault('model/server', `${provider} broke off: ${messageIn(error)}`);
}

function unreachable(error: Error, provider: string): Fault {
  const code = systemCode(error);
  const slow = code === 'ETIMEDOUT' || code?.endsWith('_TIMEOUT') === true;
  const why = code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
  return fault(slow ? 'model/timeout' : 'model/network', `${provider} could not be reached, or hung up: ${why}`);
}

/** The code that Node or its HTTP client gave to a broken connection, wherever it is wrapped. */
function systemCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string' && /^(E[A-Z_]+|UND_ERR_[A-Z_]+)$/.test(code)) return code;
  }
  return undefined;
}

/** Providers put their error's name in `type`, `code` or `status`, at the top or below `error`. */
function nameIn(value: unknown, depth = 0): FaultCode | undefined {
  if (typeof value !== 'object' || value === null || depth > 2) return undefined;
  const given = value as Readonly<Record<string, unknown>>;
  for (const key of ['code', 'type', 'status']) {
    const name = given[key];
    if (typeof name === 'string' && Object.hasOwn(NAMED, name)) return NAMED[name];
    if (typeof name === 'number' && name >= 400 && name < 600) return codeOfStatus(name);
  }
  return nameIn(given['error'] ?? given['response'], depth + 1);
}

function messageIn(error: unknown): string {
  if (typeof error === 'string') return error;
  const given = (error ?? {}) as { readonly message?: unknown; readonly error?: unknown };
  if (typeof given.message === 'string') return given.message;
  return given.error === undefined ? JSON.stringify(error) : messageIn(given.error);
}
