// The meaning of a client's message in A2A: a request to an agent, or an answer to a task that waits.

import type { Message } from '@a2a-js/sdk';
import type { JsonObject } from '../../../base/text/json.ts';
import type { InputFile } from '../../../engine/files/take-files.ts';
import { fail } from '../../../kernel/fault.ts';
import { questionIn } from '../../../kernel/person.ts';
import { serverQuestionIn } from '../../../kernel/server-question.ts';
import type { WaitingApproval } from '../../../views/approvals.ts';
import { invalid, isFields } from '../fields.ts';
import { unnamedFile } from '../inline-files.ts';
import { type AnsweredOp, optionMeant, type PersonAnswer } from '../person-question.ts';
import { OP_KEY, SEEN_KEY } from './task.ts';

/** The files of a message. Throws `request/media-type` for one that lies at an address. */
export function filesOfMessage({ parts }: Message): readonly InputFile[] {
  return parts.flatMap(({ content, mediaType, filename }, index): readonly InputFile[] => {
    if (content?.$case === 'url')
      return fail(
        'request/media-type',
        'A part of the message is an address (url), and nothing is fetched. Send the file itself as raw.',
      );
    if (content?.$case !== 'raw') return [];
    return [{ name: filename === '' ? unnamedFile(mediaType, index) : filename, data: new Uint8Array(content.value) }];
  });
}

/** Throws `request/media-type` for a part that is empty. */
export function textOfMessage({ parts }: Message): string {
  const texts = parts.flatMap(({ content }) => {
    if (content?.$case === 'text') return [content.value];
    if (content?.$case === 'data') return [JSON.stringify(content.value ?? null)];
    if (content !== undefined) return [];
    return fail('request/media-type', 'A part of the message is empty. Agents take text, data and files.');
  });
  return texts.join('\n\n');
}

const YES = /^\s*(?:yes|y|ok|okay|approve|approved|allow|true)[\s.!]*$/i;
const NO = /^\s*(?:no|n|deny|denied|reject|rejected|false)\b[\s.,:;!-]*/i;

/**
 * The answer to what a task waits for: words, or data with `approve` and `note`, `answer`, or `decline`. Throws
 * `request/invalid` for what is neither yes nor no, and then the task waits on.
 */
export function answerIn(message: Message, { about }: WaitingApproval): PersonAnswer {
  const { approve, answer, decline, note } = dataIn(message);
  const why = typeof note === 'string' ? note : undefined;
  if (decline === true || approve === false) return { kind: 'no', note: why };
  if (approve === true) return { kind: 'yes' };
  if (typeof answer === 'string') return { kind: 'words', text: answer };
  if (isFields(answer) && serverQuestionIn(about) !== undefined) return { kind: 'words', text: JSON.stringify(answer) };
  const text = textOfMessage(message);
  const question = questionIn(about);
  if (question !== undefined) return { kind: 'words', text: optionMeant(question, text) };
  if (YES.test(text)) return { kind: 'yes' };
  if (NO.test(text)) return { kind: 'no', note: text.replace(NO, '').trim() || undefined };
  return fail('request/invalid', 'The task waits for a yes or a no. Answer with "yes", or with "no" and why.');
}

/** The op that an answer names, in its metadata or in its data. Throws `request/invalid` for what names none. */
export function opNamedIn(message: Message): AnsweredOp | undefined {
  const { [OP_KEY]: op = dataIn(message)['op'], [SEEN_KEY]: seen = dataIn(message)['seen'] } = message.metadata ?? {};
  if (op === undefined) return undefined;
  if (typeof op !== 'string') return invalid(`metadata["${OP_KEY}"]`, 'must be the path of an op, such as "0.2".');
  if (seen !== undefined && typeof seen !== 'string') return invalid(`metadata["${SEEN_KEY}"]`, 'must be a text.');
  return { op, seen };
}

function dataIn({ parts }: Message): JsonObject {
  for (const { content } of parts) if (content?.$case === 'data' && isFields(content.value)) return content.value;
  return {};
}
