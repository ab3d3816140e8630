// A session continues a conversation. Its questions are answered by hand.

import { expect, test } from 'vitest';
import type { History, Mail, ModelRequest, Routine } from '../effect.ts';
import { fault } from '../fault.ts';
import type { Outcome } from '../outcome.ts';
import { openConversation } from './conversation.ts';
import { session } from './session.ts';
import type { SessionSpec } from './session-spec.ts';

const brief: SessionSpec = {
  agent: 'ann',
  system: 'S',
  models: ['m'],
  settings: {},
  output: { format: 'markdown' },
  maxTurns: 4,
  maxToolCallsPerTurn: 2,
  maxRetries: 1,
  modelTimeoutMs: 1000,
};

const services = { check: () => [], estimate: (text: string) => text.length };

const before: History = [
  { role: 'user', text: 'one?' },
  { role: 'assistant', text: 'One.' },
  { role: 'user', text: 'two?' },
  { role: 'assistant', text: 'Two.' },
];

const NOTHING: { readonly ok: true; readonly value: Mail } = { ok: true, value: { messages: [] } };

function asked(
  over: Partial<SessionSpec>,
  history: History | undefined,
  text = 'three?',
): readonly [ModelRequest, Routine<Outcome>] {
  const conversation = openConversation();
  const request = { text, ...(history && { history }) };
  const routine = session(
    { ...brief, ...over },
    [],
    services,
  )({
    self: '0',
    request,
    conversation,
    trigger: { kind: 'start' },
  });
  routine.next();
  const { value } = routine.next(NOTHING) as { readonly value: { readonly request: ModelRequest } };
  return [value.request, routine];
}

test('a session begins its conversation with the history, then hears the request', () => {
  const [request] = asked({}, before);
  expect(request.messages).toEqual([
    { role: 'user', text: 'one?' },
    { role: 'assistant', text: 'One.', calls: [] },
    { role: 'user', text: 'two?' },
    { role: 'assistant', text: 'Two.', calls: [] },
    { role: 'user', text: 'three?' },
  ]);
  expect(request).toMatchObject({ turn: 1, fresh: 0, history: 4 });
  expect(asked({}, undefined)[0]).not.toHaveProperty('history');
});

test('an earlier answer is not partial output of a session that fails', () => {
  const [, routine] = asked({}, before);
  const { value } = routine.next({ ok: false, fault: fault('model/server', 'down') });
  expect(value).toMatchObject({ kind: 'failed' });
  expect(value).not.toHaveProperty('partial');
});

test('in a small window the oldest exchanges are left out whole, and a notice says how many messages', () => {
  const long: History = before.map(({ role, text }) => ({ role, text: text.padEnd(200, '.') }));
  const [request] = asked({ contextWindow: 1500, settings: { maxOutputTokens: 40 } }, long);
  expect(request.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
  expect(request.messages[0]).toMatchObject({ text: `two?${'.'.repeat(196)}` });
  expect(request.messages[2]).toMatchObject({
    text: '[The first 2 messages of this conversation are left out here, because they do not fit the context window.]\n\nthree?',
  });
  expect(request.history).toBe(2);
  const [none] = asked({ contextWindow: 900, settings: { maxOutputTokens: 40 } }, long);
  expect(none.messages).toHaveLength(1);
});

test('a long request leaves its history less room', () => {
  const long: History = before.map(({ role, text }) => ({ role, text: text.padEnd(200, '.') }));
  const kept = (text: string) =>
    asked({ contextWindow: 2000, settings: { maxOutputTokens: 40 } }, long, text)[0].history;
  expect(kept('three?')).toBe(4);
  expect(kept('three?'.padEnd(300, '.'))).toBe(2);
  expect(kept('three?'.padEnd(1100, '.'))).toBeUndefined();
});

test('the newest files of a history are shown, as many as the request leaves room for', () => {
  const file = (nth: number) => ({
    name: `${nth}.png`,
    type: 'image/png',
    digest: `${nth}`.padStart(64, '0'),
    bytes: 1,
  });
  const files = (from: number, count: number) => Array.from({ length: count }, (_, nth) => file(from + nth));
  const history = [
    { role: 'user', text: 'one', files: files(0, 15) },
    { role: 'user', text: 'two', files: files(15, 15) },
    { role: 'user', text: 'three', files: files(30, 1) },
  ] as unknown as History;
  const [request] = asked({}, history);
  const shown = request.messages.map((message) => ('files' in message ? message.files?.length : undefined));
  expect(shown).toEqual([4, 15, 1, undefined]);
  expect(request.messages[0]).toMatchObject({ files: [{ name: '11.png' }, {}, {}, { name: '14.png' }] });
});

test('a session that is opened again on its conversation does not repeat the history', () => {
  const conversation = openConversation();
  const input = {
    self: '0',
    request: { text: 'three?', history: before },
    conversation,
    trigger: { kind: 'start' },
  } as const;
  const open = (): Routine<Outcome> => session(brief, [], services)(input);
  const first = open();
  first.next();
  first.next(NOTHING);
  conversation.goOn = undefined; // as for a supervisor that takes another seat
  open().next();
  expect(conversation.messages.map(({ role }) => role).join()).toBe('user,assistant,user,assistant,user,user');
});
