import { expect, test } from 'vitest';
import { isCommandOf } from './shell-words.ts';

const isMatched = (pattern: string, command: string): boolean => isCommandOf([pattern], command);

test.each([
  ['git diff *', 'git diff --output=x'],
  ['git diff *', 'git diff --output x'],
  ['git diff *', 'git diff --outp=x'],
  ['git diff *', 'git diff HEAD --ext-diff'],
  ['git diff *', 'git diff --ext'],
  ['git diff *', 'git diff --textconv'],
  ['git diff *', 'git diff --line-prefix=x'],
  ['/usr/bin/git diff *', '/usr/bin/git diff --output=x'],
  ['git *', 'git -c core.fsmonitor=x status'],
  ['git *', 'git -C elsewhere status'],
  ['git *', 'git --exec-path=. status'],
  ['git *', 'git --no-pager -c alias.x=!sh x'],
  ['git *', 'git config core.fsmonitor x'],
  ['git *', 'git bisect run sh'],
  ['git -C sub *', 'git -C sub -c core.pager=x log'],
  ['git bisect *', 'git bisect run sh'],
  ['git submodule *', 'git submodule foreach sh'],
  ['git grep *', 'git grep -Oless x'],
  ['git grep *', 'git grep -LOsh x'],
  ['git grep *', 'git grep --open=sh x'],
  ['git rebase *', 'git rebase -x sh main'],
  ['git rebase *', 'git rebase --exec sh main'],
  ['git archive *', 'git archive -vox HEAD'],
  ['git fetch *', 'git fetch --upload-pack=sh origin'],
  ['git clone *', 'git clone -c core.fsmonitor=x a b'],
  ['git push *', 'git push --receive-pack=sh origin'],
  ['git format-patch *', 'git format-patch -o x HEAD'],
])('%s does not match %s', (pattern, command) => {
  expect(isMatched(pattern, command)).toBe(false);
});

test.each([
  ['git diff *', 'git diff'],
  ['git diff *', 'git diff --stat HEAD -- src'],
  ['git diff *', 'git diff -U10 --text -M -C'],
  ['git diff *', 'git diff -- --output=x'],
  ['git log *', 'git log --oneline -n 5 -Sfoo --format=%h'],
  ['git show *', 'git show -c HEAD'],
  ['git stash *', 'git stash pop --index'],
  ['git commit *', `git commit -am 'a word'`],
  ['git *', 'git status --short'],
  ['git diff --output=x *', 'git diff --output=x HEAD'],
  ['git -c core.pager=cat log *', 'git -c core.pager=cat log -1'],
  ['git bisect run npm *', 'git bisect run npm test'],
  ['git grep -O *', 'git grep -O word'],
])('%s matches %s', (pattern, command) => {
  expect(isMatched(pattern, command)).toBe(true);
});

test('a star after another program stands for any words', () => {
  expect(isMatched('npm test *', 'npm test --output=x')).toBe(true);
});
