// POST /v1/chat/completions

import { conversationOf } from '../conversation.ts';
import { contractWith } from '../forced-tool.ts';
import { agentAsked, type HeadCall, threadNamed } from '../head-call.ts';
import type { HeadRequest } from '../head-run.ts';
import { answerOverHttp } from '../http-answer.ts';
import { chatFormat } from './answer-format.ts';
import { chatChunks, chatCompletion } from './chat-completion.ts';
import { forcedFunction } from './forced-function.ts';
import { chatMessages } from './messages.ts';
import { openAiError } from './openai-error.ts';
import type { ChatRequest } from './parameters.ts';

export function chatCompletions(request: ChatRequest, call: HeadCall): Promise<Response | undefined> {
  const tool = forcedFunction(request);
  const asked: HeadRequest = {
    served: agentAsked(request, call),
    conversation: conversationOf(chatMessages(request.messages)),
    contract: contractWith(tool, chatFormat(request)),
    named: { thread: threadNamed(request, call) },
  };
  const withUsage = request.stream_options?.include_usage === true;
  return answerOverHttp(call, asked, request.stream === true, {
    whole: (of, text, totals) => chatCompletion(of, text, totals, tool),
    frames: (of) => chatChunks(of, withUsage, tool),
    error: openAiError,
  });
}
