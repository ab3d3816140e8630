// Comments and titles of tests are sentences: they name the thing that they are about. "What a budget counts" leaves the
// subject to the reader; "The figures that a budget counts" does not.

import { expect, test } from 'vitest';
import { halfSentencesIn, halfTitlesIn } from '../scripts/house/comments.mjs';
import { filesBelow, isCode, isStyle, isTest, textOf } from '../scripts/house/files.mjs';

const files = ['src', 'web', 'test', 'scripts'].flatMap(filesBelow).filter((path) => isCode(path) || isStyle(path));

const placesOf = (find: (text: string) => readonly number[], among = files): readonly string[] =>
  among.flatMap((path) => find(textOf(path)).map((line) => `${path}:${line}`));

test('no comment opens with half a sentence', () => {
  const wayOut =
    'name the thing ("The figures that …"), say what the function does ("Returns …"), or take the comment away';
  expect(placesOf(halfSentencesIn), wayOut).toEqual([]);
});

test('no title of a test opens with half a sentence', () => {
  expect(placesOf(halfTitlesIn, files.filter(isTest)), 'name the subject ("a run that …") and what it does').toEqual(
    [],
  );
});

test('a half sentence is seen in every form of a comment, and a whole one passes', () => {
  const opening = 'What';
  const half = [
    `// ${opening} counts.`,
    `  /** ${opening} counts. */`,
    '/**',
    ` * ${opening} counts`,
    ' */',
    `/* ${opening} */`,
  ];
  expect(halfSentencesIn(half.join('\n'))).toEqual([1, 2, 3, 6]);
  expect(halfSentencesIn(`// The count.\n// ${opening} follows is the rest of it.\n/** Counts. */`)).toEqual([]);
  expect(halfTitlesIn(`test.each(ALL)('${opening.toLowerCase()} counts is counted', () => {});`)).toEqual([1]);
  expect(halfTitlesIn("test('a call counts once', () => {});")).toEqual([]);
});
