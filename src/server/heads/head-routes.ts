// The addresses of the heads, for the OpenAPI document. Their protocols are described elsewhere, by those who made them;
// here stands which parameters they take, from the tables that check them.

import { z } from 'zod';
import type { ApiMessage } from '../messages/message.ts';
import { declaredAs, exactly, type RequestFields } from '../messages/schema.ts';
import type { RouteAnswer, ToldRoute } from '../routes/route.ts';
import { MESSAGES_PARAMETERS } from './anthropic/parameters.ts';
import { THREAD_HEADER } from './head-call.ts';
import { CHAT_PARAMETERS, RESPONSES_PARAMETERS } from './openai/parameters.ts';
import type { Parameters } from './parameters.ts';

const OBJECT = declaredAs<object>();

const HEADERS: RequestFields = {
  [THREAD_HEADER]: z.string().describe('The thread that the request is part of.').exactOptional(),
  'idempotency-key': z
    .string()
    .max(255)
    .describe('The same request with the same key gets the same run, and a closed connection does not cancel it.')
    .exactOptional(),
};

/** Errors have the shape of the protocol, not that of a problem document. */
const answersOf = (ok: RouteAnswer, error: string): ToldRoute['answers'] => {
  const failed = { description: `An error in the shape of ${error}.`, body: OBJECT };
  const statuses = [400, 401, 402, 403, 404, 409, 413, 415, 422, 429, 500, 502, 503, 504];
  return { 200: ok, ...Object.fromEntries(statuses.map((status) => [status, failed])) };
};

const bodyOf = (parameters: Parameters, required: readonly string[]): ApiMessage<unknown> =>
  exactly(
    Object.fromEntries(
      Object.entries(parameters).map(([name, { use, means }]) => {
        const value = z.unknown().describe(`${capital(use)}: ${means}`);
        return [name, required.includes(name) ? value : value.exactOptional()];
      }),
    ),
  );

const capital = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

const answer = (description: string): RouteAnswer => ({
  description,
  body: OBJECT,
  types: { 'text/event-stream': 'The same as it is written, with `stream`.' },
});

const AGENT: RequestFields = { agent: z.string().describe('The agent.') };

/** Of a protocol that has a name for it. */
const REQUEST = declaredAs<object>({ type: 'object', properties: { jsonrpc: {} }, required: ['jsonrpc'] });

export const HEAD_ROUTES: readonly ToldRoute[] = [
  {
    method: 'GET',
    path: '/v1/models',
    name: 'listModels',
    tag: 'heads',
    summary: 'The agents as models, for clients of OpenAI and Anthropic.',
    permission: 'see',
    answers: answersOf({ description: 'The list.', body: OBJECT }, 'OpenAI'),
  },
  {
    method: 'POST',
    path: '/v1/chat/completions',
    name: 'createChatCompletion',
    tag: 'heads',
    summary: "An answer of an agent, as OpenAI's chat completion.",
    permission: 'run',
    headers: HEADERS,
    body: bodyOf(CHAT_PARAMETERS, ['model', 'messages']),
    answers: answersOf(answer('The chat completion.'), 'OpenAI'),
  },
  {
    method: 'POST',
    path: '/v1/responses',
    name: 'createResponse',
    tag: 'heads',
    summary: "An answer of an agent, as OpenAI's response.",
    permission: 'run',
    headers: HEADERS,
    body: bodyOf(RESPONSES_PARAMETERS, ['model', 'input']),
    answers: answersOf(answer('The response.'), 'OpenAI'),
  },
  {
    method: 'POST',
    path: '/v1/messages',
    name: 'createMessage',
    tag: 'heads',
    summary: "An answer of an agent, as Anthropic's message.",
    permission: 'run',
    headers: HEADERS,
    body: bodyOf(MESSAGES_PARAMETERS, ['model', 'messages']),
    answers: answersOf(answer('The message.'), 'Anthropic'),
  },
  {
    method: 'POST',
    path: '/mcp',
    name: 'postMcp',
    tag: 'heads',
    summary: 'The agents as tools of an MCP server: a message of the protocol (streamable HTTP).',
    permission: 'run',
    body: REQUEST,
    answers: answersOf(answer('What the protocol answers.'), 'JSON-RPC'),
  },
  {
    method: 'GET',
    path: '/a2a/:agent/.well-known/agent-card.json',
    name: 'getAgentCard',
    tag: 'heads',
    summary: 'The A2A card of an agent.',
    permission: 'see',
    params: AGENT,
    answers: answersOf({ description: 'The card.', body: OBJECT }, 'JSON-RPC'),
  },
  {
    method: 'POST',
    path: '/a2a/:agent',
    name: 'postA2a',
    tag: 'heads',
    summary: 'A request of A2A to an agent (JSON-RPC), of revision 1.0 or 0.3.',
    permission: 'run',
    params: AGENT,
    body: REQUEST,
    answers: answersOf(answer('What the protocol answers.'), 'JSON-RPC'),
  },
];
