import { expect, test } from 'vitest';
import { journalByHand } from '../../../test/support/events.ts';
import { openInboxes } from './inboxes.ts';

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
  events.forEach((event, index) => {
    lived.add(event);
    const anew = openInboxes(parts);
    for (const event of events.slice(0, index + 1)) anew.add(event);
    expect(anew.take(box)).toEqual(lived.take(box));
  });
  expect(lived.take(box)).toMatchObject({ messages: [{ text: 'two' }], upTo: 1 });
});
