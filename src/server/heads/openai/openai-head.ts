// The OpenAI head: models, chat completions and responses. An agent is a model.

import type { Head, ServerCall, ServerContext } from '../../context.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import { type HeadCall, readCall } from '../head-call.ts';
import { problemIn } from '../head-problem.ts';
import { jsonResponse } from '../http-answer.ts';
import { chatCompletions } from './chat.ts';
import { modelNamed, modelsFor } from './models.ts';
import { openAiError } from './openai-error.ts';
import { responses } from './responses.ts';

export function openAiHead(answered: AnsweredRuns): Head {
  let served: ServerContext | undefined;
  return {
    name: 'openai',
    paths: ['/v1'],
    async mount(app, context) {
      served = context;
      const { RESPONSE_ALREADY_SENT } = await import('@hono/node-server/utils/response');
      const answering = (answer: (call: HeadCall) => Promise<Response | undefined>) => async (call: ServerCall) =>
        (await answer(await readCall(call, context, answered))) ?? RESPONSE_ALREADY_SENT;
      app.get('/v1/models', (call) => jsonResponse(modelsFor(call, context), 200));
      app.get('/v1/models/:model{.+}', (call) => jsonResponse(modelNamed(call, context), 200));
      app.post('/v1/chat/completions', answering(chatCompletions));
      app.post('/v1/responses', answering(responses));
    },
    problem: problemIn(openAiError, () => served as ServerContext),
  };
}
