import { expect, test } from 'vitest';
import { type Holder, newHolder, parseHolder, standingOf } from './holder.ts';

const MACHINE = 'pid:[4026531836]';
const CONTAINER = 'pid:[4026532178]';
const GONE = 2 ** 22 + 1;
const me: Holder = { ...newHolder(), host: 'one', machine: 'm1', boot: 'b1', namespace: MACHINE };
const contained: Holder = { ...me, namespace: CONTAINER };
const why = (text: RegExp) => ({ why: expect.stringMatching(text) as string });

test('a process of my own table is alive or dead by its pid and its start', () => {
  expect(standingOf(me, me)).toBe('alive');
  expect(standingOf({ ...me, pid: GONE }, me)).toBe('dead');
  expect(standingOf({ ...me, started: '1' }, me)).toBe(me.started === '' ? 'alive' : 'dead');
});

test('a process of this machine before it was booted again is dead', () => {
  expect(standingOf({ ...me, boot: 'b0' }, me)).toBe('dead');
});

test.each<[string, Holder, Holder, RegExp]>([
  ['another host name', { ...me, host: 'two' }, me, /on host two, and this is one/],
  ['another host name and boot', { ...me, host: 'two', boot: 'b0' }, me, /on host two/],
  ['another machine of the same name', { ...me, machine: 'm2', boot: 'b0' }, me, /another machine/],
  ['another container', contained, me, /another pid namespace/],
  ['the machine, seen from a container', me, contained, /another pid namespace/],
  ['a container of another boot', { ...contained, boot: 'b0' }, contained, /another boot/],
  ['a container of another boot, seen from the machine', { ...contained, boot: 'b0' }, me, /another boot/],
  ['a system that tells no boot', { ...me, boot: '' }, me, /another boot/],
])('nothing is known of %s', (_, holder, from, text) => {
  expect(standingOf({ ...holder, pid: GONE }, from)).toEqual(why(text));
  expect(standingOf(holder, from)).toEqual(why(text));
});

test.each(['', '{', '[]', 'null', '{"pid":1}', '{"pid":"1","nonce":"ab"}', '{"pid":1,"nonce":"../x"}'])(
  'nothing is known of a lock that says %j',
  (text) => expect(standingOf(parseHolder(text), me)).toEqual(why(/cannot be understood/)),
);

test('the lines after the first, which say what was taken away, change nothing', () => {
  expect(parseHolder(`${JSON.stringify(me)}\n\nr1\n`)).toEqual({ ...me, nonce: me.nonce });
});
