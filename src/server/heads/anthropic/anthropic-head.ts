// The Anthropic head: messages. An agent is a model.

import type { Head } from '../../context.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import { conversationOf } from '../conversation.ts';
import { isTrue } from '../fields.ts';
import { contractWith } from '../forced-tool.ts';
import { agentAsked, type HeadCall, readCall, threadNamed } from '../head-call.ts';
import { problemIn } from '../head-problem.ts';
import { ANSWER_HEADERS, bodyWith, protocolAnswers, streamedAnswer } from '../head-routes.ts';
import type { HeadRequest } from '../head-run.ts';
import { answerOverHttp } from '../http-answer.ts';
import { checkParameters } from '../parameters.ts';
import { anthropicError } from './anthropic-error.ts';
import { forcedUse } from './forced-use.ts';
import { messageEvents, wholeMessage } from './message-object.ts';
import { contractIn, saidIn } from './messages.ts';
import { MESSAGES_PARAMETERS } from './parameters.ts';

export const anthropicHead = (answered: AnsweredRuns): Head => ({
  name: 'anthropic',
  paths: ['/v1/messages'],
  routes: [
    {
      method: 'POST',
      path: '/v1/messages',
      name: 'createMessage',
      tag: 'heads',
      summary: "An answer of an agent, as Anthropic's message.",
      permission: 'run',
      headers: ANSWER_HEADERS,
      body: bodyWith(MESSAGES_PARAMETERS, ['model', 'messages']),
      answers: protocolAnswers(streamedAnswer('The message.'), 'Anthropic'),
      answer: async (call, context) => messages(await readCall(call, context, answered)),
    },
  ],
  problem: problemIn(anthropicError),
});

function messages(call: HeadCall): Promise<Response | undefined> {
  const { body } = call;
  checkParameters(body, MESSAGES_PARAMETERS);
  const tool = forcedUse(body);
  const asked: HeadRequest = {
    served: agentAsked(call),
    conversation: conversationOf(saidIn(body)),
    contract: contractWith(tool, contractIn(body)),
    named: { thread: threadNamed(call) },
  };
  return answerOverHttp(call, asked, isTrue(body, 'stream'), {
    whole: (of, text, totals) => wholeMessage(of, text, totals, tool),
    frames: (of) => messageEvents(of, tool),
    error: anthropicError,
  });
}
