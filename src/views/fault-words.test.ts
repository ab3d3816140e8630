import { expect, test } from 'vitest';
import { journalByHand, overloaded } from '../../test/support/events.ts';
import type { RunEvent } from '../journal/event.ts';
import { fault, WITHOUT_REASON } from '../kernel/fault.ts';
import { faultSettingIn } from './fault-setting.ts';
import { faultWords } from './fault-words.ts';

test('a fault says what happened, how often, the code last, and then the way out', () => {
  const tries = { code: 'model/server', message: 'upstream connect error', attempts: 3 } as const;
  const told = fault('model/server', 'demo/any (3 attempts): upstream connect error');
  expect(faultWords(told, { tries })).toBe('upstream connect error, 3 attempts (model/server). Trying again may help.');
  expect(faultWords(fault('tool/failed', 'No such file.'))).toBe('No such file (tool/failed).');
  // The attempts before another fault ended it do not say how often that fault happened.
  expect(faultWords(fault('output/invalid', 'It must name a place.'), { tries })).toBe(
    'It must name a place (output/invalid).',
  );
});

test('a limit says each of its numbers once', () => {
  const late = fault('timeout', 'desk did not finish within 1500 ms.', { agent: 'desk', unit: 'ms', limit: 1500 });
  expect(faultWords(late)).toBe('Timed out after 1.5 s (its limit).');
  const shortage = { agent: 'desk', unit: 'usd', limit: 0.003, spent: 0, held: 0, needed: 0.0031 };
  expect(faultWords(fault('budget/exceeded', 'The budget is reached.', shortage))).toBe(
    'Over budget: the next call may cost $0.0031; $0.003 of $0.003 is left.',
  );
  const words = { ...shortage, unit: 'tokens', limit: 3000, spent: 2000, held: 500, needed: 1200 };
  expect(faultWords(fault('budget/exceeded', 'The budget is reached.', words))).toBe(
    'Over budget: the next call may take 1.2k tokens; 500 of 3.0k are left.',
  );
  const one = { ...shortage, unit: 'sessions', limit: 1, spent: 1, needed: 1 };
  expect(faultWords(fault('budget/exceeded', 'The budget is reached.', one))).toBe(
    'Over budget: that of desk allows 1 session, and one more was asked for.',
  );
  expect(faultWords(fault('budget/exceeded', 'The budget is reached.', { ...one, unit: 'depth', limit: 2 }))).toBe(
    'Over budget: that of desk allows 2 levels below it, and one more was asked for.',
  );
  expect(faultWords(fault('turns/exhausted', 'desk spent its 2 turns.'))).toBe('desk spent its 2 turns.');
  const time = { agent: 'desk', unit: 'ms', limit: 30_000 };
  expect(faultWords(fault('budget/exceeded', 'Its time is over.', time))).toBe('Over budget: its 30 s are over.');
});

test('a run that was cancelled says by whom, when, and why if a reason was given', () => {
  const setting = { by: 'you', ms: 7000 };
  expect(faultWords(fault('cancelled', WITHOUT_REASON), setting)).toBe('Cancelled by you, 7 s in.');
  expect(faultWords(fault('cancelled', 'Too slow.'), setting)).toBe('Cancelled by you, 7 s in. Too slow.');
  expect(faultWords(fault('cancelled', WITHOUT_REASON))).toBe('The run was cancelled.');
});

test('attempts are those of the last model call that failed, and of one model', () => {
  const given = (path: string) => journalByHand().ask(path).attempt(path, 1, { kind: 'retry', delayMs: 5 });
  const triesOf = (events: readonly RunEvent[]) => faultSettingIn(events, []).tries;
  const failed = given('0.1').attempt('0.1', 2, { kind: 'give-up' }).fails('0.1', 'model', overloaded);
  expect(triesOf(failed.events)).toEqual({ code: 'model/server', message: '503', attempts: 2 });
  const other = given('0.1').attempt('0.1', 2, { kind: 'give-up' }, { model: 'acme/large' });
  expect(triesOf(other.fails('0.1', 'model', overloaded).events)).toBeUndefined();
  expect(triesOf(given('0.1').reply('0.1', 'At last.').events)).toBeUndefined();
});

test('the person who cancelled a run is named as the reader knows them', () => {
  const book = journalByHand();
  book.add({ type: 'control', message: { id: 'c', kind: 'cancel', by: 'owner', reason: WITHOUT_REASON } });
  expect(faultSettingIn(book.events, ['owner'])).toEqual({ by: 'you', ms: 10 });
});
