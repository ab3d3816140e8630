// The way of a request of the SDK: over Node's own HTTP client where that does the same as `fetch`, because it is
// faster (decision 40), else by `fetch`.

import { type HttpAnswer, httpAnswer } from '../../base/net/http-answer.ts';
import type { RemoteKind } from '../settings.ts';

type FetchParameters = Parameters<typeof globalThis.fetch>;

export type Send = (input: FetchParameters[0], init: FetchParameters[1], kind: RemoteKind) => Promise<HttpAnswer>;

/** No redirect is followed. */
export const sentRequest: Send = (input, init, kind) => send(input, init, kind);

/** Sends a request as `sentRequest` does, and calls a function when it is on its way. */
export const requestSender =
  (onSent: () => void): Send =>
  (input, init, kind) =>
    send(input, init, kind, onSent);

function send(
  input: FetchParameters[0],
  init: FetchParameters[1],
  kind: RemoteKind,
  onSent?: () => void,
): Promise<HttpAnswer> {
  const { method = 'POST', headers, signal, body } = init ?? {};
  if (typeof body !== 'string' || input instanceof Request || kind === 'ai-sdk' || goesThroughProxy())
    return fetched(input, init);
  const url = new URL(input);
  return httpAnswer({ url, method, headers: recordOf(headers), body, signal, onSent });
}

/** The package of an `ai-sdk` provider may ask for what only `fetch` has. */
async function fetched(input: FetchParameters[0], init: FetchParameters[1]): Promise<HttpAnswer> {
  const { status, statusText, headers, body } = await fetch(input, { ...init, redirect: 'manual' });
  const reader = body?.getReader();
  const cancel = (): void => void reader?.cancel().catch(() => {}); // it has failed, and its reader was told
  return {
    status,
    statusText,
    headers,
    read: async () => (await reader?.read())?.value,
    cancel,
    leave: cancel,
  };
}

/** Node was told to use the proxy of the environment, and `fetch` does. */
const goesThroughProxy = (): boolean =>
  process.env['NODE_USE_ENV_PROXY'] === '1' ||
  process.execArgv.includes('--use-env-proxy') ||
  process.env['NODE_OPTIONS']?.includes('--use-env-proxy') === true;

/** The SDK's own are a record already. */
const recordOf = (headers: NonNullable<FetchParameters[1]>['headers']): Readonly<Record<string, string>> =>
  headers === undefined || headers instanceof Headers || Array.isArray(headers)
    ? Object.fromEntries(new Headers(headers))
    : (headers as Readonly<Record<string, string>>);
