// The OpenAI head: models, chat completions and responses. An agent is a model.

import { z } from 'zod';
import type { Head, HeadRoute } from '../../context.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import { problemIn } from '../head-problem.ts';
import { answerRoute, PROTOCOL_OBJECT, protocolAnswers } from '../head-routes.ts';
import { jsonResponse } from '../http-answer.ts';
import { chatCompletions } from './chat.ts';
import { modelNamed, modelsFor } from './models.ts';
import { openAiError } from './openai-error.ts';
import { ChatRequest, ResponsesRequest } from './parameters.ts';
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
  answerRoute(
    {
      path: '/v1/chat/completions',
      name: 'createChatCompletion',
      summary: "An answer of an agent, as OpenAI's chat completion.",
      body: ChatRequest,
      whole: 'The chat completion.',
      protocol: 'OpenAI',
      answer: chatCompletions,
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
      answer: responses,
    },
    answered,
  ),
];
