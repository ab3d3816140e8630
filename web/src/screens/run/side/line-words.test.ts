import { expect, test } from 'vitest';
import { progressFold } from '../../../../../src/views/progress/progress.ts';
import { journalByHand } from '../../../../../test/support/events.ts';
import { lineWords } from './line-words.ts';

const sessionsOf = (...agents: readonly string[]) => {
  const book = journalByHand();
  for (const [index, agent] of agents.entries())
    book.run(`0.${index}`, agent).ask(`0.${index}.0`, { session: `0.${index}`, agent });
  const fold = progressFold();
  for (const event of book.events) fold.add(event);
  return fold.now().sessions.slice(1);
};

test('one session says what it does, several of one agent are counted, few are named', () => {
  expect(lineWords(sessionsOf('writer'), 'at work')).toBe('writer thinks');
  expect(lineWords(sessionsOf('reporter', 'reporter'), 'at work')).toBe('reporter × 2 at work');
  expect(lineWords(sessionsOf('desk', 'writer'), 'waiting')).toBe('desk, writer wait');
  expect(lineWords(sessionsOf('a', 'b', 'c', 'd'), 'queued')).toBe('4 queued');
});
