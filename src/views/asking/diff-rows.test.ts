import { expect, test } from 'vitest';
import { unifiedDiff } from '../../base/diff/unified.ts';
import { diffFiles } from './diff-rows.ts';

const DIFF = `diff --git a/src/speed.js b/src/speed.js
index 1..2 100644
--- a/src/speed.js
+++ b/src/speed.js
@@ -8,3 +8,3 @@
 same
-  const hours = Math.round(miles);
+  const hours = Math.floor(miles);
 end
`;

test('a diff has the numbers of both sides, and the words that differ', () => {
  const [file, ...others] = diffFiles(DIFF);
  expect(others).toEqual([]);
  expect(file).toMatchObject({ path: 'src/speed.js', added: 1, removed: 1 });
  expect(file?.rows).toEqual([
    { kind: 'same', before: 8, after: 8, text: 'same' },
    { kind: 'removed', before: 9, text: '  const hours = Math.round(miles);', mark: [21, 26] },
    { kind: 'added', after: 9, text: '  const hours = Math.floor(miles);', mark: [21, 26] },
    { kind: 'same', before: 10, after: 10, text: 'end' },
  ]);
});

test('a line that looks like the head of a file is a line of the text', () => {
  const [file, ...others] = diffFiles('--- a\n+++ a\n@@ -1,2 +1,2 @@\n--- a\n+++ b\n @@ -1 +1 @@\n');
  expect(others).toEqual([]);
  expect(file?.rows.map(({ kind, text }) => [kind, text])).toEqual([
    ['removed', '-- a'],
    ['added', '++ b'],
    ['same', '@@ -1 +1 @@'],
  ]);
});

test('a new file, a file that goes, and several files are told apart', () => {
  const text = '--- /dev/null\n+++ b/new.txt\n@@ -0,0 +1 @@\n+one\n--- a/old.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-one\n';
  expect(diffFiles(text).map(({ path, added, removed }) => [path, added, removed])).toEqual([
    ['new.txt', 1, 0],
    ['old.txt', 0, 1],
  ]);
});

test('every line is there, and what cannot be seen is written out', () => {
  const before = Array.from({ length: 900 }, (_, index) => `line ${index}`).join('\n');
  const after = before.replace('line 5\n', 'line \u202e5\n').replace('line 890', '-- 890');
  const side = (content: string) => ({ path: 'a.txt', text: content, mode: 0o644 });
  const text = unifiedDiff(side(before), side(after)).join('\n');
  const rows = diffFiles(text).flatMap((file) => file.rows);
  expect(rows.filter(({ kind }) => kind === 'added').map(({ text }) => text)).toEqual(['line \\u202e5', '-- 890']);
  expect(diffFiles('no diff at all')).toMatchObject([{ path: undefined, rows: [{ text: 'no diff at all' }] }]);
});
