import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandPattern, isCommandOf, quotedWords, shellWords, shownWord } from './shell-words.ts';

test.each([
  ['npm test', ['npm', 'test']],
  ['  npm \t test  ', ['npm', 'test']],
  [`git commit -m "it's done"`, ['git', 'commit', '-m', "it's done"]],
  [`echo 'a;b|c $d' ""`, ['echo', 'a;b|c $d', '']],
  ['ech"o"', ['echo']],
  ['grep a=b', ['grep', 'a=b']],
  [`"A=b" c`, ['A=b', 'c']],
])('%s is one plain command', (command, words) => {
  expect(shellWords(command)).toEqual({ words });
});

test.each([
  'npm test; rm -rf .',
  'npm test && rm -rf .',
  'npm test & rm',
  'npm test | sh',
  'npm test\nrm -rf .',
  'npm test\rrm',
  'npm test > /etc/passwd',
  'npm test 2>&1',
  'npm test < x',
  'npm test $(rm x)',
  'npm test `rm x`',
  'npm test $X',
  'npm test "$(rm x)"',
  'npm test "`rm x`"',
  'npm test "${X}"',
  'npm test \\; rm',
  'npm test "\\""',
  'npm test *',
  'npm test ?',
  'npm test [ab]',
  'npm test {a,b}',
  'npm test ~',
  'npm test #x',
  'npm test !x',
  '(npm test)',
  '{ npm test; }',
  'LD_PRELOAD=x npm test',
  'npm test "',
  "npm test '",
  'npm test \0',
  'npm te\u200bst',
  'npm test \u202e',
  '',
  '   ',
  '""',
])('%j has no words', (command) => {
  expect(shellWords(command)).toHaveProperty('problem');
  expect(isCommandOf(['npm test', 'npm test *', 'npm *'], command)).toBe(false);
});

test('a command matches a pattern word by word', () => {
  const is = (pattern: string, command: string): boolean => isCommandOf([pattern], command);
  expect(is('npm test', 'npm   test')).toBe(true);
  expect(is('npm test', `'npm' "test"`)).toBe(true);
  expect(is('npm test', 'npm test --watch')).toBe(false);
  expect(is('npm test', 'npm "test --watch"')).toBe(false);
  expect(is('npm test', './npm test')).toBe(false);
  expect(is('git diff *', 'git diff')).toBe(true);
  expect(is('git diff *', 'git diff HEAD~')).toBe(false); // ~ has a meaning of its own
  expect(is('git diff *', 'git diff "HEAD~1" -- a')).toBe(true);
  expect(is('git diff *', 'git difftool')).toBe(false);
  expect(is('git diff *', 'git -c core.pager=sh diff')).toBe(false);
});

test.each([
  ['*', 'it would allow every command'],
  ['npm *test', 'alone at the end'],
  ['npm * test', 'alone at the end'],
  ['npm test; ls', 'meaning of its own'],
  ['', 'names no command'],
])('%j is no pattern', (pattern, why) => {
  expect(commandPattern(pattern)).toEqual({ problem: expect.stringContaining(why) });
  expect(isCommandOf([pattern], 'npm test')).toBe(false);
});

/** Reads a command with /bin/sh: its words, each with a mark before and after. */
const readByShell = (command: string): readonly string[] =>
  execFileSync('/bin/sh', ['-c', `p() { for w do printf '%s\\001' "$w"; done; }; p ${command}`], {
    encoding: 'utf8',
    env: {},
  })
    .split('\u0001')
    .slice(0, -1);

test('a shell reads the same words, as written and as quoted again', () => {
  const part = fc.string({
    unit: fc.constantFrom('a', 'b', ' ', '"', "'", '=', '-', '.', '/', 'é', '%', '@', ':', '+', ','),
    maxLength: 12,
  });
  fc.assert(
    fc.property(part, (text) => {
      const parsed = shellWords(`x ${text}`);
      if ('problem' in parsed) return;
      expect(readByShell(`x ${text}`)).toEqual(parsed.words);
      expect(readByShell(quotedWords(parsed.words))).toEqual(parsed.words);
      expect(readByShell(parsed.words.map(shownWord).join(' '))).toEqual(parsed.words);
    }),
    { numRuns: 60 },
  );
});
