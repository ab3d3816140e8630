// The conversation that a run continues, as the caller gives it. It is checked before anything is spent, and put into
// the form that sessions get.

import type { History } from '../kernel/effect.ts';
import { fail } from '../kernel/fault.ts';
import type { FileRef } from '../kernel/file-ref.ts';
import { quoteText } from '../patterns/quote-text.ts';
import type { RunRequest } from './contract.ts';

/** Every run of a thread holds its whole history, so it must not grow without end. */
export const MOST_HISTORY_MESSAGES = 400;
export const MOST_HISTORY_BYTES = 1_048_576;

export const historyBytes = (history: History): number =>
  history.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0);

const THREAD = /^[\w.:-]{1,128}$/;

/** The request with its history in the form that sessions get. Throws `input/invalid`. */
export function withHistory(request: RunRequest): RunRequest {
  const { thread } = request;
  if (thread !== undefined && !THREAD.test(thread)) {
    fail('input/invalid', 'The id of a thread has 1 to 128 characters: letters, digits and _ . : -');
  }
  if (request.input.history === undefined) return request;
  const { history, ...input } = request.input;
  const told = toldHistory(history);
  return { ...request, input: told.length === 0 ? input : { ...input, history: told } };
}

/**
 * The user's messages are quoted as a request is, so that no line of them looks like a heading of a pattern. Neighbours
 * of one role become one message, because some providers refuse two in a row.
 */
function toldHistory(given: unknown): History {
  if (!Array.isArray(given)) return invalid('it is not a list.');
  if (given.length > MOST_HISTORY_MESSAGES)
    return invalid(`it has ${given.length} messages; ${MOST_HISTORY_MESSAGES} are allowed.`);
  const told: { role: 'user' | 'assistant'; text: string; files?: readonly FileRef[] }[] = [];
  for (const [index, message] of given.entries()) {
    const { role, text, files } = checked(message, index);
    const said = role === 'user' ? quoteText(text) : text;
    const before = told.at(-1);
    if (before?.role === role) {
      before.text += `\n\n${said}`;
      if (files !== undefined) before.files = [...(before.files ?? []), ...files];
    } else told.push({ role, text: said, ...(files && { files }) });
  }
  if (told[0]?.role === 'assistant') return invalid('message 0 is an answer. A conversation begins with the user.');
  const bytes = historyBytes(given as History);
  if (bytes > MOST_HISTORY_BYTES) return invalid(`its texts have ${bytes} bytes; ${MOST_HISTORY_BYTES} are allowed.`);
  return told;
}

function checked(message: unknown, index: number): History[number] {
  if (typeof message !== 'object' || message === null) return invalid(`message ${index} is not an object.`);
  const { role, text, files } = message as Record<string, unknown>;
  if (role !== 'user' && role !== 'assistant')
    return invalid(`the role of message ${index} is neither user nor assistant.`);
  if (typeof text !== 'string' || text.trim() === '') return invalid(`message ${index} has no text.`);
  if (files === undefined) return { role, text };
  if (role !== 'user') return invalid(`message ${index} is an answer, and has files.`);
  return { role, text, files: files as readonly FileRef[] };
}

const invalid = (why: string): never =>
  fail(
    'input/invalid',
    `The history cannot be used: ${why} It is a list of {role: user | assistant, text}, oldest first.`,
  );
