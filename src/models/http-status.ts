// The meaning of an HTTP status of a model's server, and the pause that it asks for. The same for all providers.

import type { FaultCode } from '../kernel/fault.ts';

export function codeOfStatus(status: number): FaultCode {
  if (status === 429) return 'model/rate-limit';
  if (status === 401 || status === 403) return 'model/refused-key';
  if (status === 408 || status === 504) return 'model/timeout';
  if (status === 409 || status === 425 || status >= 500) return 'model/server';
  return 'model/bad-request';
}

/**
 * Milliseconds to wait by `retry-after-ms` or `retry-after` (seconds or a date), undefined where neither says.
 * Header names are lower case.
 */
export function retryAfterOf(headers: Readonly<Record<string, string>> | undefined, now: number): number | undefined {
  const exact = Number.parseFloat(headers?.['retry-after-ms'] ?? '');
  if (exact >= 0) return Math.ceil(exact);
  const after = headers?.['retry-after']?.trim();
  if (after === undefined || after === '') return undefined;
  const seconds = Number(after);
  if (seconds >= 0) return Math.ceil(seconds * 1000);
  const date = Date.parse(after);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
