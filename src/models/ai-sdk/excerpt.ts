// The words of a server in brief: the name and the message of an error, or the visible text of a page.

import type { FaultCode } from '../../kernel/fault.ts';
import { codeOfStatus } from '../http-status.ts';

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

/** Providers put their error's name in `type`, `code` or `status`, at the top or below `error`. */
export function nameIn(value: unknown, depth = 0): FaultCode | undefined {
  if (typeof value !== 'object' || value === null || depth > 2) return undefined;
  const given = value as Readonly<Record<string, unknown>>;
  for (const key of ['code', 'type', 'status']) {
    const name = given[key];
    if (typeof name === 'string' && Object.hasOwn(NAMED, name)) return NAMED[name];
    if (typeof name === 'number' && name >= 400 && name < 600) return codeOfStatus(name);
  }
  return nameIn(given['error'] ?? given['response'], depth + 1);
}

export function messageIn(error: unknown): string {
  if (typeof error === 'string') return error;
  const given = (error ?? {}) as { readonly message?: unknown; readonly error?: unknown };
  if (typeof given.message === 'string') return given.message;
  return given.error === undefined ? JSON.stringify(error) : messageIn(given.error);
}

/** The characters of a page that are read. */
const PAGE = 16_384;

/** The visible text of a page or a message, on one line. The caller redacts it and then cuts it. */
export function excerpt(text: string): string {
  // Whole words only: redaction would not recognise the beginning of a secret.
  const page = text.length > PAGE ? text.slice(0, PAGE).replace(/\S*$/, '') : text;
  return page
    .replace(/<(script|style)\b[^>]*>[^<]*/gi, ' ')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/[\p{Cc}\s]+/gu, ' ')
    .trim();
}
