import { expect, test } from 'vitest';
import { interruptible } from './interruptible.ts';

const catastrophic = () => /^(a+)+$/.test(`${'a'.repeat(60)}!`);

test('a task that ends in time gives its value', () => {
  expect(interruptible(1000, () => 6 * 7)).toEqual({ done: true, value: 42 });
});

test('a regular expression that would backtrack for hours is ended', () => {
  expect(interruptible(20, catastrophic)).toEqual({ done: false });
});

test('an interrupted task does not disturb the next one', () => {
  interruptible(20, catastrophic);
  expect(interruptible(1000, () => 'next')).toEqual({ done: true, value: 'next' });
});

test('what the task throws is thrown on', () => {
  expect(() =>
    interruptible(1000, () => {
      throw new RangeError('from the task');
    }),
  ).toThrow(RangeError);
});
