import { expect, test } from 'vitest';
import { glob, spellsOut } from './glob.ts';

test.each([
  ['agents/**', 'agents/a.md', true],
  ['agents/**', 'agents/x/y/a.md', true],
  ['agents/**', 'other/agents/a.md', false],
  ['agents', 'agents/x/a.md', true],
  ['agents/', 'agents/a.md', true],
  ['./agents/', 'agents/a.md', true],
  ['agents', 'agents2/a.md', false],
  ['a.md', 'a.md', true],
  ['*.md', 'a.md', true],
  ['*.md', 'x/a.md', false],
  ['**/*.md', 'a.md', true],
  ['**/*.md', 'x/y/a.md', true],
  ['**/drafts/**', 'x/drafts/a.md', true],
  ['**/drafts/**', 'x/draft/a.md', false],
  ['x/*/a.md', 'x/y/a.md', true],
  ['x/*/a.md', 'x/y/z/a.md', false],
  ['?.md', 'ab.md', false],
  ['r*-?.md', 'review-1.md', true],
  ['**', 'any/thing.md', true],
  ['*', 'a.md', true],
  ['*', 'x/a.md', false],
])('the glob %s on %s is %s', (pattern, path, expected) => {
  expect(glob(pattern).matches(path)).toBe(expected);
});

test('folders are entered only where a file below them may match', () => {
  expect(glob('a/b/**').mayLeadInto('a')).toBe(true);
  expect(glob('a/b/**').mayLeadInto('a/b/c')).toBe(true);
  expect(glob('a/b/**').mayLeadInto('c')).toBe(false);
  expect(glob('**/x.md').mayLeadInto('anything')).toBe(true);
});

test('a folder is left out as a whole where everything below it matches', () => {
  expect(glob('docs/**').holdsAllOf('docs')).toBe(true);
  expect(glob('docs').holdsAllOf('docs/deep')).toBe(true);
  expect(glob('docs/*.md').holdsAllOf('docs')).toBe(false);
  expect(glob('**/drafts/**').holdsAllOf('x/drafts')).toBe(true);
});

test('a folder whose name begins with a dot must be spelled out', () => {
  expect(spellsOut('.claude/agents/**', '.claude/agents')).toBe(true);
  expect(spellsOut('**/*.md', '.github')).toBe(false);
  expect(spellsOut('**/*.md', 'docs')).toBe(true);
});

test('many stars on a long name take one pass after another, and end', () => {
  const pattern = `${'*a'.repeat(90)}b`;
  expect(glob(pattern).matches('a'.repeat(4000))).toBe(false);
  expect(glob(`${'**/a/'.repeat(60)}b`).matches('a/'.repeat(2000))).toBe(false);
});
