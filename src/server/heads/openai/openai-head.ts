// The OpenAI head: models, chat completions and responses. An agent is a model.

import { z } from 'zod';
import { mayUse } from '../../caller.ts';
import type { Head, HeadRoute, ServerCall, ServerContext } from '../../context.ts';
import type { ServedAgent } from '../../served-cadres.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import { invalid } from '../fields.ts';
import { answerRoute, lookupRoute } from '../head-routes.ts';
import { jsonResponse, problemIn } from '../http-answer.ts';
import type { NamedThread } from '../thread-ref.ts';
import { chatChunks, chatCompletion } from './chat-completion.ts';
import { chatFormat, forcedFunction, responseFormat } from './contract.ts';
import { chatMessages, responseMessages } from './messages.ts';
import { openAiError } from './openai-error.ts';
import { ChatRequest, ResponsesRequest } from './parameters.ts';
import { completedResponse, responseEvents, runOfResponse } from './response-object.ts';

export const openAiHead = (answered: AnsweredRuns): Head => ({
  name: 'openai',
  paths: ['/v1'],
  routes: openAiRoutes(answered),
  problem: problemIn(openAiError),
});

const openAiRoutes = (answered: AnsweredRuns): readonly HeadRoute[] => [
  lookupRoute('The list.', 'OpenAI', {
    path: '/v1/models',
    name: 'listModels',
    summary: 'The agents as models, for clients of OpenAI and Anthropic.',
    permission: 'see',
    answer: async (call, context) => jsonResponse(modelsFor(call, context), 200),
  }),
  lookupRoute('The model.', 'OpenAI', {
    path: '/v1/models/:model{.+}',
    name: 'getModel',
    summary: 'One agent as a model.',
    permission: 'see',
    params: { model: z.string().describe('The agent.') },
    answer: async (call, context) => jsonResponse(modelNamed(call, context), 200),
  }),
  answerRoute(
    {
      path: '/v1/chat/completions',
      name: 'createChatCompletion',
      summary: "An answer of an agent, as OpenAI's chat completion.",
      body: ChatRequest,
      whole: 'The chat completion.',
      protocol: 'OpenAI',
      said: ({ messages }) => chatMessages(messages),
      forced: forcedFunction,
      format: chatFormat,
      words: ({ stream_options: options }, tool) => ({
        whole: (of, text, totals) => chatCompletion(of, text, totals, tool),
        frames: (of) => chatChunks(of, options?.include_usage === true, tool),
        error: openAiError,
      }),
    },
    answered,
  ),
  answerRoute(
    {
      path: '/v1/responses',
      name: 'createResponse',
      summary: "An answer of an agent, as OpenAI's response.",
      body: ResponsesRequest,
      whole: 'The response.',
      protocol: 'OpenAI',
      said: ({ input, instructions }) => responseMessages(input, instructions),
      format: responseFormat,
      named: namedIn,
      words: () => ({ whole: completedResponse, frames: responseEvents, error: openAiError }),
    },
    answered,
  ),
];

/** `previous_response_id` or `conversation`. */
function namedIn({ previous_response_id: previous, conversation }: ResponsesRequest): NamedThread | undefined {
  if (typeof previous === 'string') {
    const after = runOfResponse(previous) ?? invalid('previous_response_id', 'is not the id of a response.');
    return { after };
  }
  if (conversation === undefined || conversation === null) return undefined;
  return { thread: typeof conversation === 'string' ? conversation : (conversation.id ?? undefined) };
}

/** The agents that a caller may ask, as models. Anthropic's clients ask at the same address, and say so in a header. */
function modelsFor(call: ServerCall, { cadres }: ServerContext): object {
  const caller = call.get('caller');
  const mine = cadres.agents().filter(({ name }) => mayUse(caller, name));
  const data = mine.map((one) => modelOf(one, call));
  if (!isAnthropic(call)) return { object: 'list', data };
  return { data, has_more: false, first_id: mine[0]?.name ?? null, last_id: mine.at(-1)?.name ?? null };
}

function modelNamed(call: ServerCall, { cadres }: ServerContext): object {
  return modelOf(cadres.agentFor(call.req.param('model') ?? '', call.get('caller')), call);
}

const isAnthropic = (call: ServerCall): boolean => call.req.header('anthropic-version') !== undefined;

function modelOf({ name, agent, served }: ServedAgent, call: ServerCall): object {
  if (isAnthropic(call)) {
    const created = new Date(served.readAt).toISOString();
    return { type: 'model', id: name, display_name: agent.description ?? name, created_at: created };
  }
  return { id: name, object: 'model', created: Math.floor(served.readAt / 1000), owned_by: 'cadre' };
}
