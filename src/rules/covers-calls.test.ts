import { expect, test } from 'vitest';
import { type BracketKind, coversCalls, meansEveryCall } from './covers-calls.ts';

test.each<[BracketKind, string, string, boolean]>([
  ['command', 'git push *', 'git push origin', true],
  ['command', 'git push *', 'git push *', true],
  ['command', 'git push', 'git push *', false],
  ['command', 'git push', 'git pull', false],
  ['host', 'example.com', 'example.com:8080', true],
  ['host', 'example.com:8080', 'example.com', false],
  ['host', 'Example.com', 'example.com', true],
  ['text', 'to=*@x.com', 'to=a@x.com', true],
  ['text', 'to=*@x.com', 'to=a*@x.com', true],
  ['text', 'to=a*@x.com', 'to=*@x.com', false],
  ['text', 'to=*', 'cc=a', false],
  ['text', 'to=a', 'to=a', true],
  ['path', 'path=src/**', 'path=src/a/b.ts', true],
  ['path', 'path=src/**', 'path=src/a/**', true],
  ['path', 'path=src/**', 'path=src/*.ts', true],
  ['path', 'path=src/*', 'path=src/**', false],
  ['path', 'path=src', 'path=src/a', true],
  ['path', 'path=src/**', 'to=src/a', true],
  ['path', 'to=src/**', 'path=src/a', false],
  ['path', 'path=**/a', 'path=src/**/a', true],
])('%s: %s covers %s: %s', (kind, stronger, weaker, covers) => {
  expect(coversCalls(stronger, weaker, kind)).toBe(covers);
});

test('only stars mean every call', () => {
  expect(meansEveryCall('to=*', 'text')).toBe(true);
  expect(meansEveryCall('to=a*', 'text')).toBe(false);
  expect(meansEveryCall('path=**', 'path')).toBe(true);
  expect(meansEveryCall('path=*', 'path')).toBe(false);
});
