// Requests to the server that the page came from. A refusal is a `Problem`: the fault that the server named, in words.

import { Problem, problemFrom } from '../../../src/client/problem.ts';

export const problemOf = (thrown: unknown): Problem =>
  thrown instanceof Problem
    ? thrown
    : new Problem(0, 'page/offline', thrown instanceof Error ? thrown.message : String(thrown));

export const getJson = <Answer>(path: string, signal?: AbortSignal): Promise<Answer> =>
  asked<Answer>(path, signal === undefined ? {} : { signal });

export const postJson = <Answer>(path: string, body: unknown = {}, signal?: AbortSignal): Promise<Answer> =>
  asked<Answer>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
    ...(signal !== undefined && { signal }),
  });

/** A request that has its effect once, however often it is sent with the same key. */
export const postOnce = <Answer>(path: string, body: unknown, key: string): Promise<Answer> =>
  asked<Answer>(path, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify(body),
  });

async function asked<Answer>(path: string, init: RequestInit): Promise<Answer> {
  const response = await reached(path, init);
  const text = await response.text();
  return (text === '' ? undefined : JSON.parse(text)) as Answer;
}

/** The text of a file of the server: a blob, an exported table. */
export const getText = async (path: string, signal?: AbortSignal): Promise<string> =>
  (await reached(path, signal === undefined ? {} : { signal })).text();

export async function reached(path: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(path, { credentials: 'same-origin', ...init });
  } catch (thrown) {
    if (thrown instanceof DOMException && thrown.name === 'AbortError') throw thrown;
    throw new Problem(0, 'page/offline', 'The server cannot be reached.');
  }
  if (!response.ok) throw await problemFrom(response);
  return response;
}
