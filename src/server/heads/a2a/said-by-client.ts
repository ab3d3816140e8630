// What an A2A client says with a message: a request to an agent, or an answer to what a task waits for.

import type { Message } from '@a2a-js/sdk';
import type { Saying } from '../../../engine/engine.ts';
import { fail } from '../../../kernel/fault.ts';
import type { WaitingApproval } from '../../../views/approvals.ts';

/** Throws `request/media-type` for a part that is neither text nor data. */
export function textOfMessage({ parts }: Message): string {
  const texts = parts.map(({ content, mediaType }) => {
    if (content?.$case === 'text') return content.value;
    if (content?.$case === 'data') return JSON.stringify(content.value ?? null);
    const what = content === undefined ? 'empty' : `a file (${mediaType || content.$case})`;
    return fail('request/media-type', `A part of the message is ${what}. Agents take text and data.`);
  });
  return texts.join('\n\n');
}

const YES = /^\s*(?:yes|y|ok|okay|approve|approved|allow|true)\b[\s.!]*/i;
const NO = /^\s*(?:no|n|deny|denied|reject|rejected|false)\b[\s.,:;!-]*/i;

/** The answer to a question. Throws `request/invalid` if it is neither yes nor no, and then the task waits on. */
export function verdictIn(message: Message, { path }: WaitingApproval, by: string): Saying {
  const data = message.parts.find(({ content }) => content?.$case === 'data')?.content?.value as
    | { readonly approve?: unknown; readonly note?: unknown }
    | undefined;
  if (typeof data?.approve === 'boolean') {
    const note = typeof data.note === 'string' ? data.note : undefined;
    return { kind: 'verdict', op: path, approved: data.approve, by, ...noteOf(data.approve, note) };
  }
  const text = textOfMessage(message);
  if (YES.test(text) && text.replace(YES, '') === '') return { kind: 'verdict', op: path, approved: true, by };
  if (!NO.test(text)) {
    return fail('request/invalid', 'The task waits for a yes or a no. Answer with "yes", or with "no" and why.');
  }
  return { kind: 'verdict', op: path, approved: false, by, ...noteOf(false, text.replace(NO, '').trim()) };
}

const noteOf = (approved: boolean, note: string | undefined): { readonly note?: string } =>
  note !== undefined && note !== '' ? { note } : approved ? {} : { note: 'A person said no.' };
