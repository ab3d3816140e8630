// The parts that the routes of heads have in common. Their protocols are described elsewhere, by those who made them; a
// body is told by the table of parameters that checks it.

import { z } from 'zod';
import type { Address, RouteAnswer } from '../address.ts';
import type { ApiMessage } from '../messages/message.ts';
import { declaredAs, exactObject, type RequestFields } from '../messages/schema.ts';
import { THREAD_HEADER } from './head-call.ts';
import type { Parameters } from './parameters.ts';

export const PROTOCOL_OBJECT = declaredAs<object>();

export const ANSWER_HEADERS: RequestFields = {
  [THREAD_HEADER]: z.string().describe('The thread that the request is part of.').exactOptional(),
  'idempotency-key': z
    .string()
    .max(255)
    .describe('The same request with the same key gets the same run, and a closed connection does not cancel it.')
    .exactOptional(),
};

/** Errors have the shape of the protocol, not that of a problem document. */
export const protocolAnswers = (ok: RouteAnswer, error: string): Address['answers'] => {
  const failed = { description: `An error in the shape of ${error}.`, body: PROTOCOL_OBJECT };
  const statuses = [400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 500, 502, 503, 504];
  return { 200: ok, ...Object.fromEntries(statuses.map((status) => [status, failed])) };
};

export const bodyWith = (parameters: Parameters, required: readonly string[]): ApiMessage<unknown> =>
  exactObject(
    Object.fromEntries(
      Object.entries(parameters).map(([name, { use, means }]) => {
        const value = z.unknown().describe(`${capital(use)}: ${means}`);
        return [name, required.includes(name) ? value : value.exactOptional()];
      }),
    ),
  );

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export const streamedAnswer = (description: string): RouteAnswer => ({
  description,
  body: PROTOCOL_OBJECT,
  types: { 'text/event-stream': 'The same as it is written, with `stream`.' },
});

/** A request of a protocol that has a name for it. */
export const RPC_REQUEST = declaredAs<object>({ type: 'object', properties: { jsonrpc: {} }, required: ['jsonrpc'] });
