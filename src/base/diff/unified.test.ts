import { applyPatch, parsePatch } from 'diff';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unifiedDiff } from './unified.ts';

const side = (text: string | undefined, path = 'a.txt', mode = 0o644) => ({ path, text, mode });

test('a change of one line has three lines around it', () => {
  const before = Array.from({ length: 9 }, (_, index) => `line ${index + 1}\n`).join('');
  expect(unifiedDiff(side(before), side(before.replace('line 5', 'LINE 5')))).toEqual([
    'diff --git a/a.txt b/a.txt',
    '--- a/a.txt',
    '+++ b/a.txt',
    '@@ -2,7 +2,7 @@',
    ' line 2',
    ' line 3',
    ' line 4',
    '-line 5',
    '+LINE 5',
    ' line 6',
    ' line 7',
    ' line 8',
  ]);
});

test('files that are made, deleted or moved say so, with their mode', () => {
  expect(unifiedDiff(undefined, side('x', 'n.sh', 0o755))).toEqual([
    'diff --git a/n.sh b/n.sh',
    'new file mode 100755',
    '--- /dev/null',
    '+++ b/n.sh',
    '@@ -0,0 +1 @@',
    '+x',
    '\\ No newline at end of file',
  ]);
  expect(unifiedDiff(side('x\n'), undefined).slice(1, 5)).toEqual([
    'deleted file mode 100644',
    '--- a/a.txt',
    '+++ /dev/null',
    '@@ -1 +0,0 @@',
  ]);
  expect(unifiedDiff(side('x\n'), side('x\n', 'b.txt'))).toEqual([
    'diff --git a/a.txt b/b.txt',
    'rename from a.txt',
    'rename to b.txt',
  ]);
  expect(unifiedDiff(undefined, undefined)).toEqual([]);
});

test('a text that is not known is not shown, and a path cannot add lines', () => {
  expect(unifiedDiff(side(undefined), side('x')).at(-1)).toBe('Binary files, or texts that were not kept, differ');
  expect(unifiedDiff(side('x\n', 'a\n+evil'), undefined).every((line) => !line.includes('\n'))).toBe(true);
});

test('texts that have little in common take no long search, and their diff is right all the same', () => {
  const lines = (word: string): string => Array.from({ length: 2000 }, (_, index) => `${word} ${index}\n`).join('');
  const [before, after] = [
    `one\ntwo\nthree\nfour\n${lines('a')}five\nsix`,
    `one\ntwo\nthree\nfour\n${lines('b')}five\nsix`,
  ];
  const diff = unifiedDiff(side(before), side(after));
  expect(diff[3]).toBe('@@ -2,2005 +2,2005 @@');
  expect(diff).toHaveLength(4 + 3 + 4000 + 3);
  const [patch] = parsePatch(`${diff.slice(1).join('\n')}\n`);
  expect(patch && applyPatch(before, patch, { autoConvertLineEndings: false })).toBe(after);
});

const text = fc.array(fc.constantFrom('a\n', 'b\n', 'c\r\n', 'd', '\n', '-x\n', '+y\n')).map((parts) => parts.join(''));

test('the diff of any two texts makes the one of the other', () => {
  fc.assert(
    fc.property(text, text, (before, after) => {
      const diff = unifiedDiff(side(before), side(after));
      if (before === after) return;
      const [patch] = parsePatch(`${diff.slice(1).join('\n')}\n`);
      expect(patch && applyPatch(before, patch, { autoConvertLineEndings: false })).toBe(after);
    }),
  );
});
