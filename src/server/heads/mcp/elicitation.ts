// A question to a person as an elicitation of MCP, and what the client's user said to it.

import type { ElicitRequestFormParams } from '@modelcontextprotocol/server';
import type { JsonObject } from '../../../base/text/json.ts';
import { questionIn } from '../../../kernel/person.ts';
import { serverQuestionIn } from '../../../kernel/server-question.ts';
import type { WaitingApproval } from '../../../views/approvals.ts';
import { isFields } from '../fields.ts';
import { askedOfPerson, type PersonAnswer } from '../person-question.ts';

export function elicitationFor(waiting: WaitingApproval): ElicitRequestFormParams {
  const message = askedOfPerson(waiting);
  const question = questionIn(waiting.about);
  const form = serverQuestionIn(waiting.about)?.form;
  if (form !== undefined) return { message, requestedSchema: form as ElicitRequestFormParams['requestedSchema'] };
  if (question !== undefined) {
    const { options } = question;
    const answer = { type: 'string' as const, title: 'Answer', ...(options && { enum: [...options] }) };
    return { message, requestedSchema: { type: 'object', properties: { answer }, required: ['answer'] } };
  }
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        approve: { type: 'boolean', title: 'Allow this call', default: false },
        note: { type: 'string', title: 'Note', description: 'The agent reads it if the answer is no.' },
      },
      required: ['approve'],
    },
  };
}

/** `response` comes from the client and may be anything. What is neither a clear yes nor an answer is a no. */
export function elicitedAnswer(response: unknown, isForm = false): PersonAnswer {
  const { action, content } = isFields(response) ? response : ({} as JsonObject);
  if (isForm && action === 'accept') return { kind: 'words', text: JSON.stringify(isFields(content) ? content : {}) };
  const { approve, note, answer } = isFields(content) ? content : ({} as JsonObject);
  const why = typeof note === 'string' && note !== '' ? note : undefined;
  if (action === 'accept' && approve === true) return { kind: 'yes' };
  if (action === 'accept' && typeof answer === 'string' && answer !== '') return { kind: 'words', text: answer };
  if (action === 'accept' || action === 'decline') return { kind: 'no', note: why };
  return { kind: 'no', note: 'The person did not answer.' };
}
