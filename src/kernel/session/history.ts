// The conversation that a session continues: earlier requests and answers, before the first message of its own.
// HISTORY-1. It takes at most half of the room that the request leaves in the model's window. The oldest exchanges are
//            left out first, and the session learns how many messages are missing.
// HISTORY-2. What is kept begins with the user: providers refuse a conversation that begins with an answer.
// HISTORY-3. Files stay with their message. The newest ones are shown, those of the request among them; of older ones
//            only the lines are left.

import type { History } from '../effect.ts';
import { MOST_FILES, withFileLines } from '../file-ref.ts';
import type { Message, UserMessage } from '../message.ts';
import type { Window } from './context.ts';
import { add, sizeOf, userWith } from './conversation.ts';
import type { SessionState } from './session-state.ts';

/** Puts the history at the beginning of an empty conversation. Returns how many of its messages do not fit. */
export function recall(
  { talk, window, services }: Pick<SessionState, 'talk' | 'window' | 'services'>,
  history: History,
  request: UserMessage,
): number {
  const { estimate } = services;
  const told = spoken(history, request.files?.length ?? 0);
  const sizes = told.map((message) => sizeOf(message, estimate, talk.sight));
  const first = firstKept(told, sizes, window, sizeOf(request, estimate, talk.sight) - OVERHEAD);
  for (const message of told.slice(first)) add(talk, message, estimate);
  talk.history = talk.messages.length;
  talk.lastText = ''; // an earlier answer is not partial output of this session
  return first;
}

/** The history as messages (HISTORY-3). `later` counts the files of the request. */
function spoken(history: History, later: number): readonly Message[] {
  let room = Math.max(0, MOST_FILES - later);
  return history
    .toReversed()
    .map(({ role, text, files }): Message => {
      if (role === 'assistant') return { role, text, calls: [] };
      const shown = files === undefined || room === 0 ? undefined : files.slice(-room);
      room -= shown?.length ?? 0;
      return userWith(withFileLines(text, files), shown);
    })
    .toReversed();
}

/** HISTORY-1, HISTORY-2. `asked` is the size of the request. */
function firstKept(told: readonly Message[], sizes: readonly number[], window: Window, asked: number): number {
  if (window.tokens === undefined) return 0;
  const room = (window.tokens - window.reserve - window.fixed - asked) / 2;
  let size = 0;
  let first = told.length;
  for (let index = told.length - 1; index >= 0; index--) {
    size += sizes[index] as number;
    if (size > room) break;
    if (told[index]?.role === 'user') first = index;
  }
  return first;
}

/** Tokens that a message takes beside its text. */
const OVERHEAD = 4;
