// The parts that the routes of heads have in common. Their protocols are described elsewhere, by those who made them; a
// body is told by the table of parameters that checks it.

import { z } from 'zod';
import type { OutputContract } from '../../kernel/schema.ts';
import type { Address, RouteAnswer } from '../address.ts';
import type { Head, HeadRoute } from '../context.ts';
import { declaredAs, type RequestFields } from '../messages/schema.ts';
import { contractWith, type ForcedTool } from './answer-contract.ts';
import type { AnsweredRuns } from './answered-runs.ts';
import { type ClientMessage, conversationOf } from './conversation.ts';
import { readCall, THREAD_HEADER } from './head-call.ts';
import { refusal, safeFault } from './head-fault.ts';
import { type AnswerWords, answerOverHttp, jsonResponse } from './http-answer.ts';
import { readHeadRequest } from './parameters.ts';
import type { NamedThread } from './thread-ref.ts';

const PROTOCOL_OBJECT = declaredAs<object>();

const ANSWER_HEADERS: RequestFields = {
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

export const streamedAnswer = (description: string): RouteAnswer => ({
  description,
  body: PROTOCOL_OBJECT,
  types: { 'text/event-stream': 'The same as it is written, with `stream`.' },
});

/** A route by which a client looks something up: `what` it answers with, in the words of its protocol. */
export const lookupRoute = (
  what: string,
  protocol: string,
  of: Pick<HeadRoute, 'path' | 'name' | 'summary' | 'permission' | 'params' | 'answer'>,
): HeadRoute => ({
  ...of,
  method: 'GET',
  tag: 'heads',
  answers: protocolAnswers({ description: what, body: PROTOCOL_OBJECT }, protocol),
});

/** An error of JSON-RPC that answers no request. */
export const rpcProblem =
  (dataOf: (code: string) => unknown): Head['problem'] =>
  (fault, context) => {
    const { status, message, code } = safeFault(refusal(fault), context);
    const error = { code: -32600, message, data: dataOf(code) };
    return jsonResponse({ jsonrpc: '2.0', id: null, error }, status);
  };

/** A request of a protocol that has a name for it. */
export const RPC_REQUEST = declaredAs<object>({ type: 'object', properties: { jsonrpc: {} }, required: ['jsonrpc'] });

/** The parameters that the requests of all such protocols have. */
interface AnswerRequest {
  readonly model: string;
  readonly stream?: boolean | null | undefined;
  readonly metadata?: { readonly thread?: string | null | undefined } | null | undefined;
}

/** A route by which a client asks an agent and gets its answer, whole or as it is written. */
export const answerRoute = <Request extends AnswerRequest>(
  {
    whole,
    protocol,
    said,
    forced,
    format,
    named,
    words,
    ...address
  }: Pick<Address, 'path' | 'name' | 'summary'> & {
    readonly body: z.ZodObject & z.ZodType<Request>;
    /** The name of the answer, and of its protocol. */
    readonly whole: string;
    readonly protocol: string;
    said(request: Request): readonly ClientMessage[];
    /** The tool of the client that the answer must call. */
    forced?(request: Request): ForcedTool | undefined;
    /** The contract that it asks for in other words. Undefined: the agent's own. */
    format(request: Request): OutputContract | undefined;
    /** Default: the thread that any client may name. */
    named?(request: Request): NamedThread | undefined;
    words(request: Request, tool: ForcedTool | undefined): AnswerWords;
  },
  answered: AnsweredRuns,
): HeadRoute => ({
  ...address,
  method: 'POST',
  tag: 'heads',
  permission: 'run',
  headers: ANSWER_HEADERS,
  answers: protocolAnswers(streamedAnswer(whole), protocol),
  async answer(call, context) {
    const headCall = await readCall(call, context, answered);
    const request = readHeadRequest<Request>(address.body, headCall.body);
    const tool = forced?.(request);
    const asked = {
      served: context.cadres.agentFor(request.model, call.get('caller')),
      conversation: conversationOf(said(request)),
      contract: contractWith(tool, format(request)),
      named: named?.(request) ?? { thread: headCall.header(THREAD_HEADER) ?? request.metadata?.thread ?? undefined },
    };
    return answerOverHttp(headCall, asked, request.stream === true, words(request, tool));
  },
});
