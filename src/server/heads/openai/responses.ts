// POST /v1/responses

import { conversationOf } from '../conversation.ts';
import { invalid, isFields, isTrue, textField } from '../fields.ts';
import { agentAsked, type HeadCall, threadNamed } from '../head-call.ts';
import type { HeadRequest } from '../head-run.ts';
import { answerOverHttp } from '../http-answer.ts';
import { checkParameters } from '../parameters.ts';
import type { NamedThread } from '../thread-ref.ts';
import { responseFormat } from './answer-format.ts';
import { responseMessages } from './messages.ts';
import { openAiError } from './openai-error.ts';
import { RESPONSES_PARAMETERS } from './parameters.ts';
import { completedResponse, responseEvents, runOfResponse } from './response-object.ts';

export function responses(call: HeadCall): Promise<Response | undefined> {
  const { body } = call;
  checkParameters(body, RESPONSES_PARAMETERS);
  const asked: HeadRequest = {
    served: agentAsked(call),
    conversation: conversationOf(responseMessages(body['input'], body['instructions'])),
    contract: responseFormat(body['text']),
    named: namedIn(call),
  };
  const words = { whole: completedResponse, frames: responseEvents, error: openAiError };
  return answerOverHttp(call, asked, isTrue(body, 'stream'), words);
}

/** `previous_response_id`, `conversation`, or what any client may name. */
function namedIn(call: HeadCall): NamedThread {
  const { body } = call;
  const previous = textField(body, 'previous_response_id');
  if (previous !== undefined) {
    const after = runOfResponse(previous) ?? invalid('previous_response_id', 'is not the id of a response.');
    return { after };
  }
  const { conversation } = body;
  if (conversation === undefined || conversation === null) return { thread: threadNamed(call) };
  return { thread: isFields(conversation) ? textField(conversation, 'id') : textField(body, 'conversation') };
}
