// The Anthropic head: messages. An agent is a model.

import type { OutputContract } from '../../../kernel/schema.ts';
import type { Head } from '../../context.ts';
import { usableSchema } from '../answer-schema.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import { conversationOf } from '../conversation.ts';
import { contractWith } from '../forced-tool.ts';
import { agentAsked, type HeadCall, threadNamed } from '../head-call.ts';
import { problemIn } from '../head-problem.ts';
import { answerRoute } from '../head-routes.ts';
import type { HeadRequest } from '../head-run.ts';
import { answerOverHttp } from '../http-answer.ts';
import { anthropicError } from './anthropic-error.ts';
import { forcedUse } from './forced-use.ts';
import { messageEvents, wholeMessage } from './message-object.ts';
import { saidIn } from './messages.ts';
import { MessagesRequest } from './parameters.ts';

export const anthropicHead = (answered: AnsweredRuns): Head => ({
  name: 'anthropic',
  paths: ['/v1/messages'],
  routes: [
    answerRoute(
      {
        path: '/v1/messages',
        name: 'createMessage',
        summary: "An answer of an agent, as Anthropic's message.",
        body: MessagesRequest,
        whole: 'The message.',
        protocol: 'Anthropic',
        answer: messages,
      },
      answered,
    ),
  ],
  problem: problemIn(anthropicError),
});

function messages(request: MessagesRequest, call: HeadCall): Promise<Response | undefined> {
  const tool = forcedUse(request);
  const asked: HeadRequest = {
    served: agentAsked(request, call),
    conversation: conversationOf(saidIn(request.messages, request.system)),
    contract: contractWith(tool, contractIn(request)),
    named: { thread: threadNamed(request, call) },
  };
  return answerOverHttp(call, asked, request.stream === true, {
    whole: (of, text, totals) => wholeMessage(of, text, totals, tool),
    frames: (of) => messageEvents(of, tool),
    error: anthropicError,
  });
}

/** `output_config.format`, or `output_format`, its earlier name. Undefined: the agent's own format. */
function contractIn({ output_config: config, output_format: earlier }: MessagesRequest): OutputContract | undefined {
  const format = config?.format === undefined ? earlier : config.format;
  if (format === undefined || format === null) return undefined;
  return { format: 'json', schema: usableSchema(format.schema, 'output_config.format.schema') };
}
