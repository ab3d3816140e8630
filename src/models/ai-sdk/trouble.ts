// Turns an error of a provider into a fault. Errors are classified by status, code and class, never by message text.
// The provider's words are kept whole here: they are cut after their secrets are removed.

import {
  APICallError,
  EmptyResponseBodyError,
  InvalidArgumentError,
  InvalidPromptError,
  InvalidResponseDataError,
  JSONParseError,
  LoadAPIKeyError,
  LoadSettingError,
  NoContentGeneratedError,
  NoSuchModelError,
  TypeValidationError,
  UnsupportedFunctionalityError,
} from '@ai-sdk/provider';
import { BrokenEncoding } from '../../base/net/http-answer.ts';
import { type Fault, FaultError, fault, faultOf } from '../../kernel/fault.ts';
import { codeOfStatus, retryAfterOf } from '../http-status.ts';
import type { ReplyFault } from '../provider.ts';
import { excerpt, messageIn, nameIn } from './excerpt.ts';

export function troubleOf(error: unknown, provider: string, signal: AbortSignal, now: number): ReplyFault {
  if (signal.aborted) return { type: 'reply-fault', fault: fault('cancelled', 'the model call was cancelled.') };
  const known = faultIn(error);
  if (known !== undefined) return { type: 'reply-fault', fault: known };
  if (APICallError.isInstance(error)) return ofHttp(error, provider, now);
  return { type: 'reply-fault', fault: ofOther(error, provider) };
}

/** A fault of ours, also where the SDK has wrapped it while it read an error's body. */
function faultIn(error: unknown): Fault | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof FaultError) return at.fault;
  }
  return undefined;
}

function brokenEncodingIn(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if (at instanceof BrokenEncoding) return at.message;
  }
  return undefined;
}

function ofHttp(error: APICallError, provider: string, now: number): ReplyFault {
  const { statusCode: status, responseHeaders: headers } = error;
  if ((status ?? 0) < 400 && brokenEncodingIn(error) !== undefined)
    return { type: 'reply-fault', fault: ofOther(error, provider) };
  // An error of a connection that breaks after the headers has their status, which says nothing about the error.
  const broke = status === undefined || (status < 400 && systemCode(error) !== undefined);
  if (broke) return { type: 'reply-fault', fault: unreachable(error, provider, status === undefined) };
  if (status < 400) {
    return {
      type: 'reply-fault',
      fault: fault('model/malformed', `${provider} sent an answer that is not a reply: ${error.message}`),
    };
  }
  const named = nameIn(error.data);
  const code = named === 'model/content-filter' ? named : codeOfStatus(status);
  const wait = retryAfterOf(headers, now);
  return {
    type: 'reply-fault',
    fault: fault(code, `${provider} answered ${status}: ${saidIn(error)}`, { status }),
    ...(wait === undefined ? {} : { retryAfterMs: wait }),
  };
}

function ofOther(error: unknown, provider: string): Fault {
  const broken = brokenEncodingIn(error);
  if (broken !== undefined)
    return fault('model/malformed', `${provider} sent something that cannot be unpacked: ${broken}`);
  if (InvalidResponseDataError.isInstance(error)) {
    // This is how the SDK says that a stream stopped before its end.
    const code = error.data === undefined ? 'model/cut-off' : 'model/malformed';
    return fault(code, `${provider}: ${error.message}`);
  }
  if (JSONParseError.isInstance(error) || TypeValidationError.isInstance(error)) {
    return fault('model/malformed', `${provider} sent something that could not be understood: ${error.message}`);
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
  if (LoadAPIKeyError.isInstance(error) || LoadSettingError.isInstance(error)) {
    return fault('model/missing-key', `provider "${provider}" has no key: ${error.message}`, { provider });
  }
  if (systemCode(error) !== undefined) return unreachable(error as Error, provider, false);
  const named = nameIn(error);
  if (named !== undefined) return fault(named, `${provider} broke off: ${messageIn(error)}`);
  if (error instanceof Error) return faultOf(error);
  return fault('model/server', `${provider} broke off: ${messageIn(error)}`);
}

/** An error whose body is not the provider's JSON has only its status as a message; then the page says more. */
function saidIn({ message, data, responseBody = '' }: APICallError): string {
  const page = data === undefined ? excerpt(responseBody) : '';
  return [message, page].filter((part) => part !== '').join(': ');
}

/** No connection was made, so nothing was sent. */
const UNCONNECTED: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
  'EAI_NODATA',
  'EAI_NONAME',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'EADDRNOTAVAIL',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** Errors of TLS about a certificate or a handshake, which come before the request. */
const TLS_TROUBLE =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|HOSTNAME_MISMATCH|INVALID_CA|EPROTO$)/;

function unreachable(error: Error, provider: string, unanswered: boolean): Fault {
  const code = systemCode(error);
  const slow = code === 'ETIMEDOUT' || code?.endsWith('_TIMEOUT') === true;
  const unsent = unanswered && (UNCONNECTED.has(code ?? '') || TLS_TROUBLE.test(code ?? '') || atConnect(error));
  const why = code === undefined || error.message.includes(code) ? error.message : `${error.message} (${code})`;
  return fault(
    slow ? 'model/timeout' : 'model/network',
    `${provider} could not be reached, or closed the connection: ${why}`,
    unsent ? { unbilled: true } : undefined,
  );
}

/** A system call that failed while the connection was made, whatever its code. */
function atConnect(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { syscall } = at as NodeJS.ErrnoException;
    if (syscall === 'connect' || syscall === 'getaddrinfo') return true;
    if (at instanceof AggregateError && at.errors.length > 0) return at.errors.every(atConnect); // one for each address
  }
  return false;
}

/** The code that Node or its HTTP client gave to a broken connection, wherever it is wrapped. */
function systemCode(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const { code } = at as NodeJS.ErrnoException;
    if (typeof code === 'string' && (/^(E[A-Z_]+|UND_ERR_[A-Z_]+)$/.test(code) || TLS_TROUBLE.test(code))) return code;
  }
  return undefined;
}
