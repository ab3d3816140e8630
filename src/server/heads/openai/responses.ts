// POST /v1/responses

import { conversationOf } from '../conversation.ts';
import { invalid } from '../fields.ts';
import { agentAsked, type HeadCall, threadNamed } from '../head-call.ts';
import type { HeadRequest } from '../head-run.ts';
import { answerOverHttp } from '../http-answer.ts';
import type { NamedThread } from '../thread-ref.ts';
import { responseFormat } from './answer-format.ts';
import { responseMessages } from './messages.ts';
import { openAiError } from './openai-error.ts';
import type { ResponsesRequest } from './parameters.ts';
import { completedResponse, responseEvents, runOfResponse } from './response-object.ts';

export function responses(request: ResponsesRequest, call: HeadCall): Promise<Response | undefined> {
  const asked: HeadRequest = {
    served: agentAsked(request, call),
    conversation: conversationOf(responseMessages(request.input, request.instructions)),
    contract: responseFormat(request),
    named: namedIn(request, call),
  };
  const words = { whole: completedResponse, frames: responseEvents, error: openAiError };
  return answerOverHttp(call, asked, request.stream === true, words);
}

/** `previous_response_id`, `conversation`, or what any client may name. */
function namedIn(request: ResponsesRequest, call: HeadCall): NamedThread {
  const { previous_response_id: previous, conversation } = request;
  if (typeof previous === 'string') {
    const after = runOfResponse(previous) ?? invalid('previous_response_id', 'is not the id of a response.');
    return { after };
  }
  if (conversation === undefined || conversation === null) return { thread: threadNamed(request, call) };
  return { thread: typeof conversation === 'string' ? conversation : (conversation.id ?? undefined) };
}
