// The Anthropic head: messages. An agent is a model.

import type { Head, ServerContext } from '../../context.ts';
import type { AnsweredRuns } from '../answered-runs.ts';
import type { RunAsked } from '../asked-run.ts';
import { conversationOf } from '../conversation.ts';
import { isTrue } from '../fields.ts';
import { contractWith } from '../forced-tool.ts';
import { agentAsked, type HeadCall, readCall, threadNamed } from '../head-call.ts';
import { problemIn } from '../head-problem.ts';
import { answerOverHttp } from '../http-answer.ts';
import { checkParameters } from '../parameters.ts';
import { anthropicError } from './anthropic-error.ts';
import { forcedUse } from './forced-use.ts';
import { messageEvents, wholeMessage } from './message-object.ts';
import { contractIn, saidIn } from './messages.ts';
import { MESSAGES_PARAMETERS } from './parameters.ts';

export function anthropicHead(answered: AnsweredRuns): Head {
  let served: ServerContext | undefined;
  return {
    name: 'anthropic',
    paths: ['/v1/messages'],
    async mount(app, context) {
      served = context;
      const { RESPONSE_ALREADY_SENT } = await import('@hono/node-server/utils/response');
      app.post('/v1/messages', async (call) => {
        const response = await messages(await readCall(call, context, answered));
        return response ?? RESPONSE_ALREADY_SENT;
      });
    },
    problem: problemIn(anthropicError, () => served as ServerContext),
  };
}

function messages(call: HeadCall): Promise<Response | undefined> {
  const { body } = call;
  checkParameters(body, MESSAGES_PARAMETERS);
  const tool = forcedUse(body);
  const asked: RunAsked = {
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
