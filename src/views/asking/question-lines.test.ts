import { expect, test } from 'vitest';
import { ASK_PERSON_ADDRESS } from '../../kernel/person.ts';
import { argumentRows } from './arguments-text.ts';
import { questionLines, questionText } from './question-lines.ts';

const call = { id: '1', name: 'run_command' };

test('a command is shown with where it runs, and every argument below it', () => {
  const preview = { kind: 'command', command: 'ls\u001b[8m\n\trm -rf /', cwd: '/w', sandbox: 'nothing' };
  expect(questionLines({ ...call, arguments: { command: 'ls', cwd: '.' }, preview })).toEqual([
    { text: '$ ls\\u001b[8m', tone: 'strong' },
    { text: '  →   rm -rf /', tone: 'strong' },
    { text: 'in /w', tone: 'faint' },
    { text: 'nothing', tone: 'faint' },
    { text: '' },
    { text: '{' },
    { text: '  "command": "ls",' },
    { text: '  "cwd": "."' },
    { text: '}' },
  ]);
});

test('a long line of a command keeps its end, and says how much is left out', () => {
  const command = `echo ${'x'.repeat(10_000)}; rm -rf /`;
  const [first] = questionLines({ ...call, preview: { kind: 'command', command, cwd: '', sandbox: '' } });
  expect(first?.text).toMatch(/^\$ echo x+ … 9615 of 10015 characters not shown … x+; rm -rf \/$/);
});

test('lines of a diff are told apart, and hide nothing', () => {
  const preview = { kind: 'diff', paths: ['a'], text: '--- a\n+++ a\n@@ -1 +1 @@\n-old\n+new\u202e\n same\n' };
  expect(questionLines({ ...call, arguments: {}, preview }).slice(0, 6)).toEqual([
    { text: '--- a', tone: 'file' },
    { text: '+++ a', tone: 'file' },
    { text: '@@ -1 +1 @@', tone: 'place' },
    { text: '-old', tone: 'gone' },
    { text: '+new\\u202e', tone: 'added' },
    { text: ' same' },
  ]);
});

test('a question in words is whole, with its options by number', () => {
  const question = `Which? ${'why '.repeat(900)}`.trim();
  const about = { ...call, source: ASK_PERSON_ADDRESS, arguments: { question, options: ['red', 'b\u200blue'] } };
  expect(questionText(about)).toBe(`${question}\n  1. red\n  2. b\\u200blue`);
});

test.each([[undefined], [null], ['text'], [7], [[]], [{ arguments: 'text' }], [{ preview: 7 }]])(
  '%j is shown as what it is',
  (about) => {
    expect(questionText(about)).not.toBe('');
  },
);

test('a table has a row for each argument, with the same text', () => {
  expect(argumentRows({ to: 'all', 'a\u202eb': [1], text: 'x'.repeat(9000) })).toEqual([
    { key: 'to', text: '"all"' },
    { key: 'a\\u202eb', text: '[\n  1\n]' },
    { key: 'text', text: expect.stringMatching(/^"x+" … \d+ of 9000 characters not shown … "x+"$/) },
  ]);
  expect(argumentRows(['a'])).toEqual([{ text: '[\n  "a"\n]' }]);
  expect(argumentRows({})).toEqual([]);
  const many = argumentRows(Object.fromEntries(Array.from({ length: 3000 }, (_, index) => [`k${index}`, index])));
  expect(many).toHaveLength(1001);
  expect(many[750]).toEqual({ text: '… 2000 keys not shown here …' });
});
