import { expect, test } from 'vitest';
import { allReplaced, droppedNotice, lastingPart, mostCallsIn, tooManyCalls, workSoFar } from './notices.ts';

const summary = { goal: 'Find\nit.', decisions: ['a', 'b'], facts: [], open: ['c'], files: [] };
const quote = (text: string): string => text.replace('Find', '“Find”');

test('the message in place of replaced turns lists each part of the summary, and says where there is none', () => {
  const text = workSoFar(summary, { from: 1, to: 4, messages: 9, keep: 2 }, quote);
  expect(text).toContain('in place of 9 messages, up to your turn 4, and sums');
  const parts = ['### Goal', '- “Find”\n  it.', '### Decisions', '- a\n- b', '### Facts', 'None.', '### Open', '- c'];
  expect(text.endsWith([...parts, '### Files', 'None.'].join('\n\n'))).toBe(true);
});

test('messages that were there before the first turn are told without a turn', () => {
  const text = workSoFar(summary, { from: 1, to: 0, messages: 3, keep: 2 }, quote);
  expect(text).toContain('in place of 3 earlier messages and sums');
});

test('everything that was replaced has its handle, by its turns', () => {
  const parts = allReplaced([
    { handle: 'h1', from: 1, to: 0 },
    { handle: 'h2', from: 1, to: 3 },
    { handle: 'h3', from: 4, to: 4 },
  ]).split('\n- ');
  expect(parts.map((line) => line.split(':')[0])).toEqual([
    '### All that was replaced\n',
    'Earlier messages',
    'Turns 1 to 3',
    'Turn 4',
  ]);
  expect(lastingPart('Files', ['a', 'b'])).toBe('### Files\n\n- a\n- b');
});

test('a dropped text keeps its first line up to 160 characters, and its size', () => {
  expect(droppedNotice(`${'a'.repeat(160)}\nmore`)).toBe(
    `${'a'.repeat(160)}\n\n[Dropped here: 165 characters that do not fit the context window.]`,
  );
  expect(droppedNotice('a'.repeat(161)).startsWith(`${'a'.repeat(160)}…\n`)).toBe(true);
});

test('the limit of calls is read back from the notice that names it, and from nothing else', () => {
  expect(mostCallsIn(tooManyCalls(12))).toBe(12);
  expect(mostCallsIn('Not run: something else.')).toBeUndefined();
});
