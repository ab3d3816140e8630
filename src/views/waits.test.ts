import { expect, test } from 'vitest';
import { call, journalByHand } from '../../test/support/events.ts';
import type { RunEvent } from '../journal/event.ts';
import { longWaits, WaitsFold } from './waits.ts';

/** The events with times of their own, in seconds since the first. */
const waitsOf = (events: readonly RunEvent[], seconds: readonly number[], until?: number) => {
  expect(seconds).toHaveLength(events.length);
  const fold = new WaitsFold();
  for (const [index, event] of events.entries()) fold.add({ ...event, at: (seconds[index] ?? 0) * 1000 });
  return fold.waits((until ?? seconds.at(-1) ?? 0) * 1000);
};

test('only the time in which nothing else happens is a wait for a person', () => {
  const { events } = journalByHand()
    .ask('0.0')
    .reply('0.0', '', [call('a', 'edit_file')])
    .signal('0.1', 'May I?')
    .ask('0.2.0', { session: '0.2', agent: 'desk' })
    .reply('0.2.0', 'Done.')
    .signalEnds('0.1', { approved: true })
    .tool('0.3', call('a', 'edit_file'))
    .toolEnds('0.3', 'ok')
    .over();
  const told = waitsOf(events, [0, 0, 2, 2, 5, 6, 100, 100, 101, 101]);
  expect(told).toEqual({
    waits: [
      { for: 'person', from: 2000, to: 5000 },
      { for: 'person', from: 6000, to: 100_000 },
    ],
    worked: 4000,
  });
  expect(longWaits(told)).toEqual([{ for: 'person', from: 6000, to: 100_000 }]);
});

test('a question that is open goes on until now, and the next look tells it anew', () => {
  const { events } = journalByHand().ask('0.0').reply('0.0', '').signal('0.1', 'May I?');
  const fold = new WaitsFold();
  for (const [index, event] of events.entries()) fold.add({ ...event, at: index * 10 });
  expect(fold.waits(60_000).waits).toEqual([{ for: 'person', from: 30, to: 60_000 }]);
  expect(fold.waits(90_000)).toEqual({ waits: [{ for: 'person', from: 30, to: 90_000 }], worked: 30 });
});

test('the pause before another try, the time without a process and a turn that is waited for are waits', () => {
  const { events } = journalByHand()
    .ask('0.0')
    .attempt('0.0', 1, { kind: 'retry', delayMs: 20_000 })
    .reply('0.0', 'Done.')
    .resume()
    .ask('0.1')
    .reply('0.1', 'Done.')
    .over();
  expect(waitsOf(events, [0, 0, 1, 22, 500, 560, 561, 561]).waits).toEqual([
    { for: 'pause', from: 1000, to: 21_000 },
    { for: 'process', from: 22_000, to: 500_000 },
    { for: 'queue', from: 500_000, to: 560_000 },
  ]);
});

test('the moments between two steps are no waits', () => {
  const { events } = journalByHand().ask('0.0').reply('0.0', '').ask('0.1').reply('0.1', '').over();
  expect(waitsOf(events, [0, 0, 1, 1.9, 3, 3])).toEqual({ waits: [], worked: 3000 });
});
