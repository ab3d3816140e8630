import { expect, test } from 'vitest';
import { answerPieces } from './answer-diff.ts';
import { promptDiff } from './prompt-diff.ts';

const marked = (pieces: readonly { readonly text: string; readonly differs: boolean }[]): string =>
  pieces.map(({ text, differs }) => (differs ? `[${text}]` : text)).join('');

test('texts are compared word by word, and each side keeps all of its words', () => {
  const [left, right] = answerPieces({ text: 'Sorry about the mirror.' }, { text: 'Sorry that the mirror broke.' });
  expect(left.map(({ text }) => text).join('')).toBe('Sorry about the mirror.');
  expect(right.map(({ text }) => text).join('')).toBe('Sorry that the mirror broke.');
  expect(marked(left)).toContain('[about]');
  expect(marked(right)).toContain('[that]');
  expect(marked(answerPieces({ text: 'same' }, { text: 'same' })[0])).toBe('same');
});

test('JSON objects are compared value by value, whatever the order of their keys', () => {
  const [left, right] = answerPieces(
    { text: '', data: { amount: 189.5, why: 'broken', to: ['you'] } },
    { text: '', data: { why: 'late', amount: 189.5 } },
  );
  expect(marked(left)).toBe('{\n  "amount": 189.5,\n  "why": ["broken"],\n  "to": [[\n    "you"\n  ]]\n}');
  expect(marked(right)).toBe('{\n  "why": ["late"],\n  "amount": 189.5\n}');
});

test('a very long answer differs as a whole', () => {
  const long = 'word '.repeat(5000);
  expect(answerPieces({ text: long }, { text: `${long}end` })[1]).toEqual([{ text: `${long}end`, differs: true }]);
});

test('the diff of a prompt is one that patch takes, and there is none where the file has the prompt in another form', () => {
  const file = { file: 'a.md', text: '---\nchat: true\n---\nPay it.\n', prompt: 'Pay it.' };
  expect(promptDiff(file, 'Pay half.')).toContain('--- a/a.md\n+++ b/a.md\n@@ -1,4 +1,4 @@');
  expect(promptDiff(file, 'Pay half.')).toContain('-Pay it.\n+Pay half.');
  expect(promptDiff({ ...file, prompt: 'Filled in.' }, 'Pay half.')).toBeUndefined();
});
