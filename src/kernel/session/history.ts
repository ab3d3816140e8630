// The conversation that a session continues: earlier requests and answers, before the first message of its own.
// HISTORY-1. It takes at most half of the room that the request leaves in the model's window. The oldest exchanges are
//            left out first, and the session learns how many messages are missing.
// HISTORY-2. What is kept begins with the user: providers refuse a conversation that begins with an answer.

import type { History, HistoryMessage } from '../effect.ts';
import { type Message, user } from '../message.ts';
import type { Window } from './context.ts';
import { add, type Estimate } from './conversation.ts';
import type { SessionState } from './session-state.ts';

/** Puts the history at the beginning of an empty conversation. Returns how many of its messages do not fit. */
export function recall(
  { talk, window, services }: Pick<SessionState, 'talk' | 'window' | 'services'>,
  history: History,
  request: string,
): number {
  const { estimate } = services;
  const first = firstKept(history, request, window, estimate);
  for (const message of history.slice(first)) add(talk, spoken(message), estimate);
  talk.history = talk.messages.length;
  talk.lastText = ''; // an earlier answer is not partial output of this session
  return first;
}

const spoken = ({ role, text }: HistoryMessage): Message =>
  role === 'user' ? user(text) : { role: 'assistant', text, calls: [] };

/** HISTORY-1, HISTORY-2. */
function firstKept(history: History, request: string, window: Window, estimate: Estimate): number {
  if (window.tokens === undefined) return 0;
  const room = (window.tokens - window.reserve - window.fixed - estimate(request)) / 2;
  let size = 0;
  let first = history.length;
  for (let index = history.length - 1; index >= 0; index--) {
    const message = history[index] as HistoryMessage;
    size += OVERHEAD + estimate(message.text);
    if (size > room) break;
    if (message.role === 'user') first = index;
  }
  return first;
}

/** Tokens that a message takes beside its text. */
const OVERHEAD = 4;
