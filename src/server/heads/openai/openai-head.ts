// The OpenAI head: models, chat completions and responses. An agent is a model.

import { z } from 'zod';
import type { Head, HeadRoute } from '../../context.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import { readCall } from '../head-call.ts';
import { problemIn } from '../head-problem.ts';
import { ANSWER_HEADERS, bodyWith, PROTOCOL_OBJECT, protocolAnswers, streamedAnswer } from '../head-routes.ts';
import { jsonResponse } from '../http-answer.ts';
import { chatCompletions } from './chat.ts';
import { modelNamed, modelsFor } from './models.ts';
import { openAiError } from './openai-error.ts';
import { CHAT_PARAMETERS, RESPONSES_PARAMETERS } from './parameters.ts';
import { responses } from './responses.ts';

export const openAiHead = (answered: AnsweredRuns): Head => ({
  name: 'openai',
  paths: ['/v1'],
  routes: openAiRoutes(answered),
  problem: problemIn(openAiError),
});

const openAiRoutes = (answered: AnsweredRuns): readonly HeadRoute[] => [
  {
    method: 'GET',
    path: '/v1/models',
    name: 'listModels',
    tag: 'heads',
    summary: 'The agents as models, for clients of OpenAI and Anthropic.',
    permission: 'see',
    answers: protocolAnswers({ description: 'The list.', body: PROTOCOL_OBJECT }, 'OpenAI'),
    answer: async (call, context) => jsonResponse(modelsFor(call, context), 200),
  },
  {
    method: 'GET',
    path: '/v1/models/:model{.+}',
    name: 'getModel',
    tag: 'heads',
    summary: 'One agent as a model.',
    permission: 'see',
    params: { model: z.string().describe('The agent.') },
    answers: protocolAnswers({ description: 'The model.', body: PROTOCOL_OBJECT }, 'OpenAI'),
    answer: async (call, context) => jsonResponse(modelNamed(call, context), 200),
  },
  {
    method: 'POST',
    path: '/v1/chat/completions',
    name: 'createChatCompletion',
    tag: 'heads',
    summary: "An answer of an agent, as OpenAI's chat completion.",
    permission: 'run',
    headers: ANSWER_HEADERS,
    body: bodyWith(CHAT_PARAMETERS, ['model', 'messages']),
    answers: protocolAnswers(streamedAnswer('The chat completion.'), 'OpenAI'),
    answer: async (call, context) => chatCompletions(await readCall(call, context, answered)),
  },
  {
    method: 'POST',
    path: '/v1/responses',
    name: 'createResponse',
    tag: 'heads',
    summary: "An answer of an agent, as OpenAI's response.",
    permission: 'run',
    headers: ANSWER_HEADERS,
    body: bodyWith(RESPONSES_PARAMETERS, ['model', 'input']),
    answers: protocolAnswers(streamedAnswer('The response.'), 'OpenAI'),
    answer: async (call, context) => responses(await readCall(call, context, answered)),
  },
];
