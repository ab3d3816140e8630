// What arrives in a session's inbox, and whether it fits the window: answered by hand.

import { expect, test } from 'vitest';
import { ByHand, inputFor } from '../../test/support/by-hand.ts';
import type { Mail, ModelRequest } from './effect.ts';
import type { Outcome } from './outcome.ts';
import { type SessionSpec, session } from './session.ts';

const brief: SessionSpec = {
  agent: 'ann',
  system: '',
  models: ['m'],
  settings: { maxOutputTokens: 0 },
  output: { format: 'markdown' },
  maxTurns: 4,
  maxToolCallsPerTurn: 2,
  maxRetries: 1,
  modelTimeoutMs: 1000,
};

/** A token is a letter m, of which the fixed texts have few. The first line of a message says what it is. */
const services = { check: () => [], estimate: (text: string) => text.split('m').length - 1 };
const letter = (name: string, size: number) => ({ role: 'user' as const, text: `${name}\n${'m'.repeat(size)}` });

/** The first request of a session that is asked "hello", with this mail, in a window with this room for it. */
function requestWith(mail: Mail, room: number): ModelRequest {
  const fixed = services.estimate(JSON.stringify(toolsOf()));
  const contextWindow = fixed + 4 + room; // a message takes 4
  const chat = new ByHand<Outcome>(session({ ...brief, contextWindow }, [], services)(inputFor('hello')));
  chat.answer(mail);
  return chat.effect('model').request;
}

function toolsOf() {
  const chat = new ByHand<Outcome>(session({ ...brief, contextWindow: 1000 }, [], services)(inputFor('hello')));
  return chat.answer({ messages: [] }).effect('model').request.tools;
}

const lastText = ({ messages }: ModelRequest): string => {
  const heard = messages[1];
  return heard?.role === 'user' ? heard.text : '';
};

test('messages that fit one by one and not together are not all taken in', () => {
  const mail = { messages: [letter('first', 30), letter('second', 30), letter('third', 30)] };
  const request = requestWith(mail, 70);
  expect(lastText(request)).toContain(letter('first', 30).text);
  expect(lastText(request)).toContain(letter('second', 30).text);
  expect(lastText(request)).not.toContain(letter('third', 30).text);
  expect(lastText(request)).toContain('third\n\n[Dropped here: 36 characters that do not fit the context window.]');
});

test('a message that was dropped takes no room from a smaller one behind it', () => {
  const request = requestWith({ messages: [letter('large', 90), letter('small', 30)] }, 70);
  expect(lastText(request)).not.toContain(letter('large', 90).text);
  expect(lastText(request)).toContain(letter('small', 30).text);
});

test('a session that something was dropped in takes its last turn, and one in which all fits does not', () => {
  const mail = { messages: [letter('first', 30), letter('second', 30)] };
  expect(requestWith(mail, 50).messages.at(-1)).toMatchObject({ text: expect.stringContaining('context window') });
  expect(requestWith(mail, 70).messages).toHaveLength(2);
});
