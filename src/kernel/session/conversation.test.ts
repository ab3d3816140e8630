import { expect, test } from 'vitest';
import { okResult, type ToolMessage, user } from '../message.ts';
import { add, ask, fold, give, hear, NO_ESTIMATE, openConversation, sizeOf } from './conversation.ts';

const estimate = (text: string): number => text.length;
const result = (text: string, handle?: string): ToolMessage => ({
  role: 'tool',
  call: 'a',
  name: 'read',
  result: { ...okResult(text), ...(handle !== undefined && { handle }) },
});

test('every message has its size, and the conversation the sum of them', () => {
  const talk = openConversation();
  ask(talk, user('twelve chars'), estimate);
  add(talk, { role: 'assistant', text: 'ok', calls: [{ id: 'a', name: 'read', arguments: { of: 1 } }] }, estimate);
  add(talk, result('abc'), estimate);
  hear(talk, 'go on', estimate);
  expect(talk.sizes).toEqual([16, 22, 7, 9]);
  expect(talk.size).toBe(54);
  expect(talk.messages).toHaveLength(4);
  expect(sizeOf(user('twelve chars'), NO_ESTIMATE)).toBe(0);
});

test('the last text is what the model wrote last, also before a reply without a word', () => {
  const talk = openConversation();
  add(talk, { role: 'assistant', text: 'so far', calls: [] }, estimate);
  hear(talk, 'and?', estimate);
  add(talk, { role: 'assistant', text: '', calls: [] }, estimate);
  expect(talk.lastText).toBe('so far');
});

test('a session reads back what its results gave it a handle for, and no text that only looks like one', () => {
  const talk = openConversation();
  add(talk, result('read_result({"handle": "zz"})'), estimate);
  expect(talk.handles).toBeUndefined();
  add(talk, result('long', 'h1'), estimate);
  const shown = { files: [], handle: 'h2', tokens: 30 };
  add(talk, { ...result('a picture'), result: { ...okResult('a picture'), shown } }, estimate);
  give(talk, 'h3');
  expect([...(talk.handles ?? [])]).toEqual(['h1', 'h2', 'h3']);
  expect(talk.sizes.at(-1)).toBe(4 + 9 + 30);
});

test('a folded result takes its new size, and is told once the model had it', () => {
  const talk = openConversation();
  ask(talk, user('go'), estimate);
  add(talk, result('a long result'), estimate);
  talk.fresh = 2;
  add(talk, result('a later result'), estimate);
  fold(talk, 1, okResult('short'), estimate);
  fold(talk, 2, okResult('tiny'), estimate);
  fold(talk, 0, okResult('no result'), estimate);
  expect(talk.sizes).toEqual([6, 9, 8]);
  expect([talk.size, talk.folded]).toEqual([23, [1]]);
  expect(talk.messages[1]).toMatchObject({ role: 'tool', result: { text: 'short' } });
  expect(talk.messages[0]).toEqual(user('go'));
});

test('the first request stays the opening one, and the latest is what was asked', () => {
  const talk = openConversation();
  const [first, second] = [user('one'), user('two')];
  ask(talk, first, estimate);
  ask(talk, second, estimate);
  expect([talk.opening, talk.asked]).toEqual([first, second]);
});
