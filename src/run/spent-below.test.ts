import { expect, test } from 'vitest';
import { journalByHand } from '../../test/support/events.ts';
import { openSpentBelow } from './spent-below.ts';

test('the cost of a further message counts once below its own path, and once below the session it went to', () => {
  const { events } = journalByHand()
    .run('0.1', 'kid')
    .ask('0.1.0', { session: '0.1', agent: 'kid' })
    .reply('0.1.0', 'first')
    .runEnds('0.1')
    .say('0.4', '0.1', 'more?')
    .ask('0.4.0', { session: '0.1', agent: 'kid' })
    .reply('0.4.0', 'second');
  const spent = openSpentBelow();
  for (const event of events) spent.add(event);
  expect(spent.below('0.1')).toEqual({ usd: 1, tokens: 240 });
  expect(spent.below('0.4')).toEqual({ usd: 0.5, tokens: 120 });
  expect(spent.below('0')).toEqual({ usd: 1, tokens: 240, sessions: 1 });
});

test('a session counts once something is recorded below it, and one that was refused does not', () => {
  const journal = journalByHand().run('0.1', 'kid');
  const spentSoFar = () => {
    const spent = openSpentBelow();
    for (const event of journal.events) spent.add(event);
    return spent.below('0').sessions ?? 0;
  };
  expect(spentSoFar()).toBe(0);
  journal.ask('0.1.0', { session: '0.1', agent: 'kid' });
  expect(spentSoFar()).toBe(1);
  journal.reply('0.1.0', 'first').runEnds('0.1').run('0.2', 'kid').runEnds('0.2');
  expect(spentSoFar()).toBe(1);
});
