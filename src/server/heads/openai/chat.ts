// POST /v1/chat/completions

import { conversationOf } from '../conversation.ts';
import { invalid, isFields, isTrue } from '../fields.ts';
import { contractWith } from '../forced-tool.ts';
import { agentAsked, type HeadCall, threadNamed } from '../head-call.ts';
import type { HeadRequest } from '../head-run.ts';
import { answerOverHttp } from '../http-answer.ts';
import { checkParameters } from '../parameters.ts';
import { chatFormat } from './answer-format.ts';
import { chatChunks, chatCompletion } from './chat-completion.ts';
import { forcedFunction } from './forced-function.ts';
import { chatMessages } from './messages.ts';
import { openAiError } from './openai-error.ts';
import { CHAT_PARAMETERS } from './parameters.ts';

export function chatCompletions(call: HeadCall): Promise<Response | undefined> {
  const { body } = call;
  checkParameters(body, CHAT_PARAMETERS);
  const tool = forcedFunction(body);
  const asked: HeadRequest = {
    served: agentAsked(call),
    conversation: conversationOf(chatMessages(body['messages'])),
    contract: contractWith(tool, chatFormat(body['response_format'])),
    named: { thread: threadNamed(call) },
  };
  const withUsage = includesUsage(body['stream_options']);
  return answerOverHttp(call, asked, isTrue(body, 'stream'), {
    whole: (of, text, totals) => chatCompletion(of, text, totals, tool),
    frames: (of) => chatChunks(of, withUsage, tool),
    error: openAiError,
  });
}

function includesUsage(options: unknown): boolean {
  if (options === undefined || options === null) return false;
  return isFields(options) ? isTrue(options, 'include_usage') : invalid('stream_options', 'must be an object.');
}
