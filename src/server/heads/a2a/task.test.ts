import { expect, test } from 'vitest';
import { journalByHand } from '../../../../test/support/events.ts';
import type { HeadContext } from '../head-host.ts';
import { TaskFold } from './task.ts';

test('a task waits no more for what this request answered, though the run has not taken the answer yet', () => {
  const book = journalByHand().signal('0.1', 'May I?').signal('0.2', 'And this?');
  const [start, first, second] = book.events;
  const fold = new TaskFold('r', {} as HeadContext, '0.1');
  for (const event of [start, first]) if (event !== undefined) fold.add(event);
  expect(fold.waiting()).toEqual([]);
  if (second !== undefined) fold.add(second);
  expect(fold.waiting().map(({ path }) => path)).toEqual(['0.2']);
  const unanswered = new TaskFold('r', {} as HeadContext);
  for (const event of book.events) unanswered.add(event);
  expect(unanswered.waiting().map(({ path }) => path)).toEqual(['0.1', '0.2']);
});

test('a task whose answer no judge found good is completed, and its status says so', () => {
  const fold = new TaskFold('r', {} as HeadContext);
  const outcome = { kind: 'answered', text: 'A draft.', rounds: 2, unmet: true } as const;
  fold.add({ seq: 0, at: 0, type: 'run-end', outcome });
  expect(fold.task()).toMatchObject({
    status: { state: 3, message: { parts: [{ content: { value: 'unmet: not found good in 2 rounds' } }] } },
  });
});
