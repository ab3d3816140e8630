import { expect, test } from 'vitest';
import { okResult, type ToolMessage } from '../message.ts';
import { correct, makeRoom, makeSomeRoom, roomFor } from './context.ts';
import { add, hear, openConversation } from './conversation.ts';

const estimate = (text: string): number => text.length;
const LONG = 'x'.repeat(2000);
/** The text that stands in for a folded result is much shorter than the result. */
const FOLDED = 200;

const result = (name: string, handle?: string, text = LONG): ToolMessage => ({
  role: 'tool',
  call: 'a',
  name,
  result: { ...okResult(text), ...(handle !== undefined && { handle }) },
});

function talkOf(...messages: readonly ToolMessage[]) {
  const talk = openConversation();
  for (const message of messages) add(talk, message, estimate);
  return talk;
}

const isFolded = (message: unknown): boolean => JSON.stringify(message).includes('moved out of the conversation');

test('the oldest results are replaced until the request fits, and no more of them', () => {
  const talk = talkOf(result('read', 'h1'), result('read', 'h2'), result('read', 'h3'));
  const window = { tokens: 5000, reserve: 500, fixed: 100 };
  expect(makeSomeRoom(talk, window, estimate)).toBe(true);
  expect(talk.messages.map(isFolded)).toEqual([true, false, false]);
  expect(talk.messages[0]).toMatchObject({ result: { status: 'ok', handle: 'h1', bytes: 2000 } });
  expect(talk.size).toBeLessThan(4004 + 4 + FOLDED + 100);
  expect(makeSomeRoom(talk, window, estimate, 2000)).toBe(true);
  expect(talk.messages.map(isFolded)).toEqual([true, true, false]);
});

test('a request that fits to the token stays as it is', () => {
  const talk = talkOf(result('read', 'h1'));
  expect(makeSomeRoom(talk, { tokens: 2604, reserve: 500, fixed: 100 }, estimate)).toBe(true);
  expect(talk.messages.map(isFolded)).toEqual([false]);
  expect(makeSomeRoom(talk, { tokens: 2603, reserve: 500, fixed: 100 }, estimate)).toBe(true);
  expect(talk.messages.map(isFolded)).toEqual([true]);
});

test('results without a handle, and short ones, cannot be replaced, and the caller hears that it does not fit', () => {
  const talk = talkOf(result('read'), result('read', 'h1', 'short'));
  hear(talk, LONG, estimate);
  expect(makeRoom(talk, { tokens: 1000, reserve: 0, fixed: 0 }, estimate)).toBe(false);
  expect(talk.messages.map(isFolded)).toEqual([false, false, false]);
});

test('tools that come last are replaced when nothing else is left', () => {
  const window = { tokens: 2700, reserve: 0, fixed: 0, last: ['skill'] };
  const talk = talkOf(result('skill', 'h1'), result('read', 'h2'));
  expect(makeSomeRoom(talk, window, estimate)).toBe(true);
  expect(talk.messages.map(isFolded)).toEqual([false, true]);
  const tight = { ...window, tokens: 1500 };
  expect(makeSomeRoom(talk, tight, estimate)).toBe(false);
  expect(makeRoom(talk, tight, estimate)).toBe(true);
  expect(talk.messages.map(isFolded)).toEqual([true, true]);
});

test('a window that nobody knows has room for everything', () => {
  const talk = talkOf(result('read', 'h1'));
  expect(makeRoom(talk, { reserve: 500, fixed: 100 }, estimate)).toBe(true);
  expect(talk.messages.map(isFolded)).toEqual([false]);
  expect(roomFor(talk, { reserve: 500, fixed: 100 })).toBe(Number.POSITIVE_INFINITY);
});

test('the estimate follows what the provider counted, within bounds, and a count of nothing changes nothing', () => {
  const talk = openConversation();
  hear(talk, 'x'.repeat(96), estimate);
  const correctedBy = (fixed: number, counted: number): number => {
    correct(talk, fixed, counted);
    return talk.correction;
  };
  expect(correctedBy(100, 300)).toBe(1.5);
  expect(roomFor(talk, { tokens: 1000, reserve: 100, fixed: 50 })).toBe(550);
  expect(correctedBy(100, 0)).toBe(1.5);
  expect(correctedBy(100, 10_000)).toBe(4);
  expect(correctedBy(100, 1)).toBe(0.5);
  const empty = openConversation();
  correct(empty, 0, 100);
  expect(empty.correction).toBe(1);
});
