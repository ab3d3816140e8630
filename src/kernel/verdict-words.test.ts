import { expect, test } from 'vitest';
import { verdictsBy, verdictText } from './verdict-words.ts';

test('a verdict says what it was, whose, and why', () => {
  expect(verdictText({ approved: true, by: 'ci' })).toBe('approved by ci');
  expect(verdictText({ approved: false, by: 'ada', note: 'Too dear.' })).toBe('denied by ada (Too dear.)');
  expect(verdictText({ approved: true, answer: 'red', by: 'ada' }, ['ada'])).toBe('answered by you');
  expect(verdictText({ approved: true })).toBe('approved');
});

test('a note is one line, and nothing in it hides or turns text', () => {
  expect(verdictText({ approved: false, note: 'no\n\u202e really\u200b' })).toBe('denied (no \\u202e really\\u200b)');
});

test('each person is named once, and nobody for a yes that was given beforehand', () => {
  const texts = verdictsBy([
    { approved: true, by: 'ci', scope: 'run' },
    { approved: true, by: 'ci', under: '0.1', note: 'For the rest of the run.' },
    { approved: false, by: 'ci', note: 'No.' },
    { approved: true, note: 'Approved beforehand with --approve.' },
  ]);
  expect(texts).toEqual(['approved by ci', 'denied by ci']);
});
