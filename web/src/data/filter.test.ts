// The words of the filter.

import { expect, test } from 'vitest';
import { type Filtered, matches, parseFilter } from './filter.ts';

const NOW = 1_800_000_000_000;
const row: Filtered = {
  agent: ['front-desk', 'refunds'],
  tool: 'read_file',
  model: 'demo/desk',
  state: 'failed',
  trigger: 'router',
  op: '0.4.7.1',
  folder: 'help-desk',
  usd: 0.0032,
  ms: 3800,
  at: NOW - 3_600_000,
  text: 'The mirror of my sextant arrived broken',
};
const fits = (filter: string): boolean => matches(row, parseFilter(filter), NOW);

test.each([
  ['', true],
  ['agent:refunds', true],
  ['agent:risk', false],
  ['-agent:risk', true],
  ['-state:failed', false],
  ['tool:read model:desk', true],
  ['op:0.4', true],
  ['op:0.40', false],
  ['cost:>0.003', true],
  ['cost:>$0.01', false],
  ['cost:<0.01', true],
  ['time:>3s', true],
  ['time:<3000ms', false],
  ['since:2h', true],
  ['since:30m', false],
  ['sextant mirror', true],
  ['"my sextant"', true],
  ['"my mirror"', false],
  ['folder:help text', false],
  ['fork:yes', false],
  ['nonsense:word', false],
  ['cost:cheap', false],
  ['AGENT:Refunds', true],
])('%s: %s', (filter, expected) => {
  expect(fits(filter)).toBe(expected);
});

test('a field that a row does not have matches nothing, and its exclusion all', () => {
  expect(matches({}, parseFilter('agent:a'), NOW)).toBe(false);
  expect(matches({}, parseFilter('-agent:a cost:>0'), NOW)).toBe(false);
  expect(matches({}, parseFilter('-cost:>0'), NOW)).toBe(true);
});

test('a word that is not understood is looked for as it stands', () => {
  expect(parseFilter('http://x -y')).toEqual([
    { field: 'text', value: 'http://x', not: false },
    { field: 'text', value: 'y', not: true },
  ]);
});
