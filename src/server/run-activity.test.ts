import { expect, test } from 'vitest';
import { call, journalByHand } from '../../test/support/events.ts';
import { RunActivity } from './run-activity.ts';

type Book = ReturnType<typeof journalByHand>;

/** The activity of a run whose first events were there before it was observed. */
function observed(book: Book, recorded = 0) {
  const activity = new RunActivity();
  const watcher = activity.observe('r1', book.events.slice(0, recorded));
  for (const event of book.events.slice(recorded)) watcher.event?.(event);
  return activity;
}

test('a run says what its agent does, from what was recorded and from what comes', () => {
  const book = journalByHand()
    .ask('0.0')
    .reply('0.0', '', [call('a', 'read')])
    .tool('0.1.0.0', call('a', 'read'));
  for (const recorded of [0, 1, book.events.length]) expect(observed(book, recorded).of('r1')).toBe('lead: calls read');
  expect(observed(book).of('r2')).toBeUndefined();
});

test('an agent below that is at work says more than the one that waits for it', () => {
  const book = journalByHand()
    .ask('0.0')
    .reply('0.0', '', [call('a', 'ask')])
    .run('0.1.0', 'helper')
    .ask('0.1.0.0', { session: '0.1.0', agent: 'helper' });
  expect(observed(book).of('r1')).toBe('helper: thinks');
});

test('a question is told in its own words, with the name of who asks if that is an agent below', () => {
  const asks = journalByHand().ask('0.0').reply('0.0', '').signal('0.1.3.0', 'May I?');
  expect(observed(asks).of('r1')).toBe('asks you: May I?');
  const below = journalByHand()
    .ask('0.0')
    .reply('0.0', '')
    .run('0.1.0', 'helper')
    .ask('0.1.0.0', { session: '0.1.0', agent: 'helper' })
    .reply('0.1.0.0', '')
    .signal('0.1.0.1', 'May I?');
  expect(observed(below).of('r1')).toBe('helper asks you: May I?');
});

test('a run is idle while nobody in it is at work', () => {
  const book = journalByHand().ask('0.0').reply('0.0', '');
  expect(observed(book).isIdle('r1')).toBe(false);
  book.signal('0.1.3.0', 'May I?');
  expect(observed(book).isIdle('r1')).toBe(true);
  expect(observed(book).isIdle('r2')).toBe(true);
});

test('a run is recorded with its first event, and all of it is forgotten together', () => {
  const book = journalByHand().ask('0.0');
  const activity = new RunActivity();
  const watcher = activity.observe('r1', []);
  expect(activity.isRecorded('r1')).toBe(false);
  for (const event of book.events) watcher.event?.(event);
  expect(activity.isRecorded('r1')).toBe(true);
  expect(observed(book, 1).isRecorded('r1')).toBe(true);
  activity.forget('r1');
  expect([activity.isRecorded('r1'), activity.of('r1'), activity.isIdle('r1')]).toEqual([false, undefined, true]);
});
