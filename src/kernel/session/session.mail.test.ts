// The inbox of a session, the limits of its window and of its turns: answered by hand.

import { expect, test } from 'vitest';
import { ByHand, inputFor } from '../../../test/support/by-hand.ts';
import type { Mail, ModelRequest } from '../effect.ts';
import { fault } from '../fault.ts';
import type { Outcome } from '../outcome.ts';
import { session } from './session.ts';
import type { SessionInput, SessionSpec } from './session-spec.ts';
import { plainTools, type SessionTool } from './session-tool.ts';

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

test('the count of a provider corrects the estimate: if it counts twice as much, half as much fits', () => {
  const room = 200;
  const fixed = services.estimate(JSON.stringify(toolsOf()));
  const contextWindow = fixed + 4 + room;
  const firstTurn = (counted: number): ModelRequest => {
    const chat = new ByHand<Outcome>(session({ ...brief, contextWindow }, [], services)(inputFor('hello')));
    const spent = { model: 'm', usage: { input: counted, output: 1 } };
    const message = { role: 'assistant', text: '', calls: [{ id: 'c', name: 'none', arguments: {} }] };
    chat.answer({ messages: [] }).answer({ message, spent });
    return chat.answer({ messages: [letter('late', 120)] }).effect('model').request;
  };
  const heard = (request: ModelRequest): boolean => JSON.stringify(request.messages).includes('m'.repeat(120));
  expect(heard(firstTurn(fixed + 4))).toBe(true);
  expect(heard(firstTurn(2 * (fixed + 4)))).toBe(false);
});

test('a broadcast that would not fit waits for a compaction, and only where that makes no room is it dropped', () => {
  const tools = plainTools('ann', { tools: [{ name: 'read_result', description: '', parameters: true }], approve: [] });
  const compact = { keep: 2, quote: (text: string) => text, reader: tools[0] as SessionTool };
  const fixed = () => {
    const chat = new ByHand<Outcome>(
      session({ ...brief, compact, contextWindow: 5000 }, [...tools], services)(inputFor('hello')),
    );
    return services.estimate(JSON.stringify(chat.answer({ messages: [] }).effect('model').request.tools));
  };
  const spec = { ...brief, compact, maxTurns: 9, contextWindow: fixed() + 500 };
  const heard = (): SessionInput => ({ ...inputFor('hello'), inject: () => [`### Broadcast 1\n${'m'.repeat(230)}`] });
  const talk = (summary: object | undefined) => {
    const chat = new ByHand<Outcome>(session(spec, tools, services)(heard()));
    chat.answer({ messages: [] });
    for (const turn of [1, 2, 3]) {
      const message = {
        role: 'assistant',
        text: 'm'.repeat(turn === 1 ? 280 : 50),
        calls: [{ id: `c${turn}`, name: 'none', arguments: {} }],
      };
      chat.answer({ message, spent: { model: 'm' } });
      if (turn < 3) chat.answer({ messages: [] });
    }
    chat.answer({ messages: [], broadcasts: {} as never });
    expect(chat.effect('model').request.compact).toMatchObject({ from: 1, to: 1 });
    const calls = [{ id: 's', name: 'final_report', arguments: summary }];
    if (summary === undefined) chat.fail(fault('model/server', 'down'));
    else chat.answer({ message: { role: 'assistant', text: '', calls }, spent: { model: 'm' }, handle: 'h1' });
    chat.answer({ messages: [] });
    return chat.effect('model').request;
  };
  const fits = talk({ goal: 'go', decisions: [], facts: [], open: [], files: [] });
  expect(JSON.stringify(fits.messages)).toContain('m'.repeat(230));
  expect(JSON.stringify(fits.messages)).toContain('WORK SO FAR');
  const dropped = talk(undefined);
  expect(JSON.stringify(dropped.messages)).not.toContain('WORK SO FAR');
  expect(JSON.stringify(dropped.messages)).toContain('Dropped here');
});

test('a session that is opened on a conversation with fewer turns keeps to those', () => {
  const input = inputFor('hello');
  input.conversation.maxTurns = 2;
  void session(brief, [], services)(input);
  expect(input.conversation.maxTurns).toBe(2);
  const other = inputFor('hello', { maxTurns: 3 });
  other.conversation.maxTurns = 9;
  void session(brief, [], services)(other);
  expect(other.conversation.maxTurns).toBe(3);
});
