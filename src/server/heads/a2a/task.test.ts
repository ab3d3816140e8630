import { expect, test } from 'vitest';
import { journalByHand } from '../../../../test/support/events.ts';
import type { HeadContext } from '../head-host.ts';
import { taskFold } from './task.ts';

test('a task waits no more for what this request answered, though the run has not taken the answer yet', () => {
  const book = journalByHand().signal('0.1', 'May I?').signal('0.2', 'And this?');
  const [start, first, second] = book.events;
  const fold = taskFold('r', {} as HeadContext, '0.1');
  for (const event of [start, first]) if (event !== undefined) fold.add(event);
  expect(fold.waiting()).toEqual([]);
  if (second !== undefined) fold.add(second);
  expect(fold.waiting().map(({ path }) => path)).toEqual(['0.2']);
  const unanswered = taskFold('r', {} as HeadContext);
  for (const event of book.events) unanswered.add(event);
  expect(unanswered.waiting().map(({ path }) => path)).toEqual(['0.1', '0.2']);
});
