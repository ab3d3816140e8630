import { expect, test } from 'vitest';
import { journalByHand } from '../../../test/support/events.ts';
import type { RunEvent } from '../../journal/event.ts';
import type { ControlMessage } from '../../kernel/control.ts';
import type { Mail, TeamMessage } from '../../kernel/effect.ts';
import { user } from '../../kernel/message.ts';
import { type Inboxes, openInboxes } from './inboxes.ts';

const sessions = new Map([['r1~0.2.0', '0.2.0.1']]);

function opened(events: readonly RunEvent[] = []): Inboxes {
  const inboxes = openInboxes({ sessionOf: (run) => sessions.get(run), now: () => 7 });
  for (const event of events) inboxes.add(event);
  return inboxes;
}

const control = (message: ControlMessage, refused?: string): RunEvent => ({
  seq: 1,
  at: 1,
  type: 'control',
  message,
  ...(refused !== undefined && { refused }),
});
const said = (text: string, to?: string): RunEvent =>
  control({ kind: 'send', id: text, text, ...(to !== undefined && { to }) });
const taken = (session: string, value: Mail): RunEvent => ({
  seq: 2,
  at: 2,
  type: 'op',
  path: `${session}.9`,
  kind: 'take',
  detail: { inbox: { session } },
  value,
});
const texts = ({ messages }: Mail): readonly string[] => messages.map(({ text }) => text);

test('a take is a question: the message leaves the inbox when the event of the take is added', () => {
  const inboxes = opened([said('hurry')]);
  const mail = inboxes.take({ session: '0' });
  expect(texts(mail)).toEqual(['hurry']);
  expect(inboxes.take({ session: '0' })).toEqual(mail);
  inboxes.add(taken('0', mail));
  expect(inboxes.take({ session: '0' })).toEqual({ messages: [] });
});

test('a message between a take and its event stays for the next take', () => {
  const inboxes = opened([said('first')]);
  const mail = inboxes.take({ session: '0' });
  inboxes.add(said('second'));
  expect(texts(mail)).toEqual(['first']);
  inboxes.add(taken('0', mail));
  expect(texts(inboxes.take({ session: '0' }))).toEqual(['second']);
});

test('a take removes what it holds, also where something else was recorded before that', () => {
  const inboxes = opened([said('recorded first, delivered second'), said('taken')]);
  inboxes.add(taken('0', { messages: [user('taken')] }));
  expect(texts(inboxes.take({ session: '0' }))).toEqual(['recorded first, delivered second']);
});

test('a message that was said twice is delivered twice, and one take of it removes one', () => {
  const inboxes = opened([said('again'), said('again')]);
  inboxes.add(taken('0', { messages: [user('again')] }));
  expect(texts(inboxes.take({ session: '0' }))).toEqual(['again']);
});

test('announcements, messages of agents and messages from outside reach their sessions, each its own', () => {
  const { events } = journalByHand()
    .instant('0.2.0.2', 'announce', { run: 'r1~0.2.0', to: '0', text: 'it is done' }, null)
    .instant('0.3', 'send', { run: 'r1~0.2.0', text: 'look again' }, { to: '0.2.0.1', state: 'running' })
    .instant('0.4', 'send', { run: 'r1~0.2.1', text: 'too late' }, { to: null, state: 'answered' });
  const inboxes = opened([...events, said('to you', 'r1~0.2.0'), said('to nobody', 'r1~9'), said('to all of it')]);
  expect(texts(inboxes.take({ session: '0' }))).toEqual(['it is done', 'to all of it']);
  expect(texts(inboxes.take({ session: '0.2.0.1' }))).toEqual(['look again', 'to you']);
});

test('a message that was refused reaches no inbox', () => {
  const inboxes = opened([
    control({ kind: 'send', id: 'm', text: 'hello' }, 'it has ended'),
    control({ kind: 'stop', id: 's', reason: 'enough' }, 'it has ended'),
  ]);
  expect(inboxes.take({ session: '0' })).toEqual({ messages: [] });
});

test('a stop that was recorded is found in every take of every session', () => {
  const inboxes = opened([control({ kind: 'stop', id: 's', reason: 'enough' })]);
  inboxes.add(taken('0', inboxes.take({ session: '0' })));
  expect(inboxes.take({ session: '0' })).toEqual({ messages: [], stop: 'enough' });
  expect(inboxes.take({ session: '0.1' })).toEqual({ messages: [], stop: 'enough' });
});

test('the reminder of a reply is in the inbox of its session until it is taken', () => {
  const reminder = { to: '0', text: 'Finish soon.', of: ['0'] };
  const reply: RunEvent = {
    seq: 3,
    at: 3,
    type: 'op-end',
    path: '0.5',
    kind: 'model',
    result: {
      ok: true,
      value: { message: { role: 'assistant', text: 'hi', calls: [] }, spent: { model: 'a/b' }, reminder },
    },
  };
  expect(texts(opened([reply]).take({ session: '0' }))).toEqual(['Finish soon.']);
  const after = opened([reply, taken('0', { messages: [user('Finish soon.')] })]);
  expect(after.take({ session: '0' })).toEqual({ messages: [] });
});

test('a take that an earlier release recorded with a text of no event leaves nothing behind that it brought', () => {
  const { events } = journalByHand().instant('0.3', 'announce', { run: 'r1~0.2.0', to: '0', text: 'done' }, null);
  const inboxes = opened([...events, taken('0', { messages: [user('Finish soon.'), user('done')] })]);
  expect(inboxes.take({ session: '0' })).toEqual({ messages: [] });
});

test('a message that was taken in other words, with a secret redacted, is not delivered again', () => {
  const inboxes = opened([said('the key is hunter2'), taken('0', { messages: [user('the key is [KEY]')] })]);
  expect(inboxes.take({ session: '0' })).toEqual({ messages: [] });
});

test('a post is a question: the saying stands on its channel when the event of the post is added', () => {
  const inboxes = opened();
  const saying: TeamMessage = { type: 'update', memberId: 'ann', message: 'ready', turnCount: 1 };
  const broadcast = inboxes.post('0', saying);
  expect(broadcast).toEqual({ ...saying, number: 1, timestamp: 7 });
  expect(inboxes.post('0', saying)).toEqual(broadcast);
  const box = { session: '0.1', channel: '0', as: 'bob' };
  expect(inboxes.take(box)).toEqual({ messages: [] });

  inboxes.add({
    seq: 4,
    at: 4,
    type: 'op',
    path: '0.2.1',
    kind: 'post',
    detail: { channel: '0', saying },
    value: broadcast,
  });
  expect(inboxes.post('0', saying).number).toBe(2);
  const mail = inboxes.take(box);
  expect(mail).toEqual({ messages: [], broadcasts: [broadcast], upTo: 1 });
  expect(inboxes.take({ ...box, as: 'ann' })).toEqual({ messages: [] });

  inboxes.add({ seq: 5, at: 5, type: 'op', path: '0.1.1', kind: 'take', detail: { inbox: box }, value: mail });
  expect(inboxes.take(box)).toEqual({ messages: [] });
});
