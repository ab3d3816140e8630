import { expect, test } from 'vitest';
import { fault } from '../kernel/fault.ts';
import { limitReached } from '../kernel/limit-reached.ts';
import { limitWords } from './limit-words.ts';

const words = (...[of, turn]: Parameters<typeof limitReached>): string | undefined => {
  const reached = limitReached(of, turn);
  return reached && limitWords(reached);
};
const budget = (unit: string, limit: number, spent?: number) =>
  fault('budget/exceeded', 'A budget is reached.', { agent: 'a', unit, limit, ...(spent !== undefined && { spent }) });

test.each([
  [budget('usd', 0.02, 0.02), '$0.02 of $0.02'],
  [budget('usd', 0.003, 0.0011), '$0.0011 of $0.003'],
  [budget('usd', 12, 11.5), '$11.50 of $12.00'],
  [budget('tokens', 10_000, 9800), '9.8k of 10k tokens'],
  [budget('sessions', 1, 1), '1 of 1 session'],
  [budget('depth', 3, 3), '3 of 3 levels'],
  [budget('ms', 30_000), '30 s of 30 s'],
  [fault('timeout', 'Too late.', { agent: 'a', unit: 'ms', limit: 1500 }), '1.5 s of 1.5 s'],
  [fault('timeout', 'Too late.', { agent: 'a', unit: 'ms', limit: 90_000 }), '1 min 30 s of 1 min 30 s'],
  [fault('timeout', 'Too late.', { agent: 'a', unit: 'ms', limit: 119_700 }), '2 min of 2 min'],
  [fault('timeout', 'Too late.', { agent: 'a', unit: 'ms', limit: 59_990 }), '1 min of 1 min'],
  [fault('timeout', 'Too late.', { agent: 'a', unit: 'ms', limit: 250 }), '250 ms of 250 ms'],
])('a limit is said as what was spent of what was allowed', (reached, said) => {
  expect(words(reached)).toBe(said);
});

test('turns are those of the session that ended', () => {
  expect(words(fault('turns/exhausted', 'It spent its turns.'), 2)).toBe('2 of 2 turns');
  expect(words(fault('turns/exhausted', 'It spent its turns.'))).toBeUndefined();
});

test('a fault that is no limit, or whose figures are not known, has no words', () => {
  expect(words(fault('model/server', 'upstream'), 2)).toBeUndefined();
  expect(words(fault('budget/exceeded', 'No known price.', { agent: 'a', unit: 'usd', begun: false }))).toBeUndefined();
  expect(words(fault('timeout', 'From an older release.'))).toBeUndefined();
});
