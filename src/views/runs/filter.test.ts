// The words of the filter.

import { expect, test } from 'vitest';
import { calendarIn } from './calendar.ts';
import { type FilteredRow, matches, parseFilter, RUN_FIELDS, unknownWords } from './filter.ts';

const NOW = 1_800_000_000_000;
const row: FilteredRow = {
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

const berlin = calendarIn('Europe/Berlin') as NonNullable<ReturnType<typeof calendarIn>>;

test.each([
  ['since:2027-01-15', '2027-01-15T00:00:00+01:00', true],
  ['since:2027-01-15', '2027-01-14T23:59:59+01:00', false],
  ['until:2027-01-15', '2027-01-15T23:59:59+01:00', true],
  ['until:2027-01-15', '2027-01-16T00:00:00+01:00', false],
  ['since:2027-01-15T13', '2027-01-15T13:00:00+01:00', true],
  ['until:2027-01-15T13', '2027-01-15T13:59:59+01:00', true],
  ['until:2027-01-15T13:30', '2027-01-15T13:30:00+01:00', false],
  ['since:2027-02-30', '2027-03-15T00:00:00+01:00', false],
])('%s at %s: %s', (filter, moment, expected) => {
  expect(matches({ at: Date.parse(moment) }, parseFilter(filter, berlin), NOW)).toBe(expected);
});

test('a state is known by its beginning, so that answered is not unanswered', () => {
  expect(matches({ state: ['failed', 'unanswered'] }, parseFilter('state:answered'), NOW)).toBe(false);
  expect(matches({ state: ['failed', 'unanswered'] }, parseFilter('state:unans'), NOW)).toBe(true);
});

test('words that no list of runs knows are told with the nearest one', () => {
  const told = unknownWords(
    'agnet:desk state:faild cost:cheap -since:soon tool:read http://x plain',
    RUN_FIELDS,
    berlin,
  );
  expect(told.map(({ word, nearest }) => [word, nearest])).toEqual([
    ['agnet:desk', 'agent:'],
    ['state:faild', 'state:failed'],
    ['cost:cheap', 'cost:>0.01'],
    ['-since:soon', 'since:2h'],
    ['tool:read', undefined],
  ]);
  expect(told[0]).toMatchObject({ from: 0, to: 10 });
  expect(unknownWords('agent:desk state:un cost:>1 since:2026-11-09 "a b:c"', RUN_FIELDS, berlin)).toEqual([]);
});
