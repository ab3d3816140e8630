import { expect, test } from 'vitest';
import { journalByHand } from '../../../test/support/events.ts';
import type { RunEvent } from '../../journal/event.ts';
import { openInboxes } from './inboxes.ts';
import { projection } from './projection.ts';

const heard = () => {
  const seqs: string[] = [];
  return { seqs, fold: (name: string) => ({ add: ({ seq }: RunEvent) => void seqs.push(`${name}${seq}`) }) };
};

test('each fold is given what was recorded when the state is opened, and then each further event, in order', () => {
  const { events } = journalByHand().resume().over();
  const { seqs, fold } = heard();
  const [first, second, third] = events as [RunEvent, RunEvent, RunEvent];
  const state = projection([fold('a'), fold('b')], [first, second]);
  expect(seqs).toEqual(['a0', 'b0', 'a1', 'b1']);
  state.add(third);
  expect(seqs.slice(4)).toEqual(['a2', 'b2']);
});

test('a state that is rebuilt after any event answers like the one that got all events as they came', () => {
  const { events } = journalByHand()
    .instant('0.1', 'announce', { run: 'r1~0.0.0', to: '0', text: 'one' }, null)
    .instant(
      '0.2',
      'post',
      { channel: '0' },
      { number: 1, type: 'update', memberId: 'ann', message: 'x', turnCount: 1 },
    )
    .instant('0.3', 'announce', { run: 'r1~0.0.1', to: '0', text: 'two' }, null)
    .instant('0.4', 'take', { inbox: { session: '0' } }, { messages: [{ role: 'user', text: 'one' }] });
  const parts = { sessionOf: () => undefined, now: () => 7 };
  const box = { session: '0', channel: '0', as: 'bob' };
  const lived = openInboxes(parts);
  const state = projection([lived]);
  events.forEach((event, index) => {
    state.add(event);
    const anew = openInboxes(parts);
    projection([anew], events.slice(0, index + 1));
    expect(anew.take(box)).toEqual(lived.take(box));
  });
  expect(lived.take(box)).toMatchObject({ messages: [{ text: 'two' }], upTo: 1 });
});
