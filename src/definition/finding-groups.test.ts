import { expect, test } from 'vitest';
import type { Diagnostic } from './diagnostic.ts';
import { renderText } from './diagnostic.ts';
import { groupedFindings } from './finding-groups.ts';

const finding = (file: string, message: string, code = 'model/missing'): Diagnostic => ({
  code,
  severity: 'error',
  file,
  line: 1,
  column: 1,
  message,
  help: 'Do it.',
});
const five = ['a', 'b', 'c', 'd', 'e'].map((name) => finding(`x/${name}.md`, `"${name}" has no model`));

test('a finding in many files, each with its own name, is one group', () => {
  const groups = groupedFindings([...five, finding('z.md', '"q" has no wings')]);
  expect(groups.map(({ first, others }) => [first.file, others.length])).toEqual([
    ['x/a.md', 4],
    ['z.md', 0],
  ]);
});

test('a few of a kind, and many in one file, are shown one by one', () => {
  expect(groupedFindings(five.slice(0, 3))).toHaveLength(3);
  const same = Array.from({ length: 9 }, () => finding('a.md', 'wrong'));
  expect(groupedFindings(same)).toHaveLength(9);
});

test('a group is shown as its first finding, its number and some places', () => {
  expect(renderText(five)).toBe(
    'x/a.md:1:1 error model/missing: "a" has no model\n  = Do it.\n' +
      '  + 4 more of this kind: x/b.md:1, x/c.md:1, x/d.md:1, x/e.md:1',
  );
});
