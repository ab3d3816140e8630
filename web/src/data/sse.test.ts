// Server-sent events, however the network cuts them.

import { expect, test } from 'vitest';
import { sseParser } from './sse.ts';

const STREAM =
  ': hello\n\nevent: journal\nid: 7\ndata: {"a":\ndata: 1}\n\ndata: plain\n\nevent: now\r\ndata: 5\r\n\r\n';
const EVENTS = [
  { type: 'journal', id: '7', data: '{"a":\n1}' },
  { type: 'message', data: 'plain' },
  { type: 'now', data: '5' },
];

test('events are read with type, id and all lines of data', () => {
  expect(sseParser().push(STREAM)).toEqual(EVENTS);
});

test('every cut of the stream gives the same events', () => {
  for (let cut = 0; cut <= STREAM.length; cut++) {
    const parser = sseParser();
    expect([...parser.push(STREAM.slice(0, cut)), ...parser.push(STREAM.slice(cut))]).toEqual(EVENTS);
  }
});

test('an event that is not complete is not told', () => {
  expect(sseParser().push('event: journal\ndata: 1\n')).toEqual([]);
});
