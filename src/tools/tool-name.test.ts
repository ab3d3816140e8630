import { expect, test } from 'vitest';
import { fitName, isToolName, markedName } from './tool-name.ts';

test.each([
  ['search', 'search'],
  ['get-sum_2', 'get-sum_2'],
  ['web.search/v1', 'web_search_v1'],
  ['größe', 'gr__e'],
  ['', '_'],
])('%j fits as %j', (name, fitted) => {
  expect(fitName(name)).toBe(fitted);
});

test('long names are cut and marked, so that they stay apart', () => {
  const [a, b] = [fitName(`${'x'.repeat(70)}a`), fitName(`${'x'.repeat(70)}b`)];
  expect(isToolName(a) && isToolName(b)).toBe(true);
  expect(a).not.toBe(b);
});

test('two names that fit to the same are marked differently', () => {
  expect(fitName('a.b')).toBe(fitName('a/b'));
  expect(markedName('a.b')).not.toBe(markedName('a/b'));
});
