import { expect, test } from 'vitest';
import { isWatched } from './watch-filter.ts';

test.each(['a.md', 'a.test.yaml', 'desk/cadre.yaml', 'tools.mjs', 'orders/17.json', 'log/1897.txt'])(
  'a change of %s runs the tests again',
  (name) => expect(isWatched(name, '/team', 'out.xml')).toBe(true),
);

test.each([
  '.cadre/runs.jsonl',
  'desk/.cadre/tests/x.jsonl',
  'node_modules/a/b.js',
  '.git/index',
  'a.test.snapshots.json',
])('a file that Cadre or a tool of the project keeps in %s does not', (name) =>
  expect(isWatched(name, '/team')).toBe(false),
);

test.each(['out.log', 'a.md~', '.a.md.swp', 'x.tmp'])('a file that programs write to %s does not', (name) =>
  expect(isWatched(name, '/team')).toBe(false),
);

test('the report that a round writes does not, wherever it was named from', () => {
  expect(isWatched('out/results.xml', '/team', '/team/out/results.xml')).toBe(false);
  expect(isWatched('out/results.xml', '/team', '/team/results.xml')).toBe(true);
});
