import { expect, test } from 'vitest';
import { atOnce } from '../../base/text/steps.ts';
import type { SpentBy } from '../../journal/run-totals.ts';
import { type Calendar, calendarIn, dayAfter, isDay } from './calendar.ts';
import { runTotals } from './run-sums.ts';
import { spentQuery, spentReport } from './spending.ts';

const zone = (name: string): Calendar => {
  const found = calendarIn(name);
  if (found === undefined) throw new Error(`no zone ${name}`);
  return found;
};
const rowsBy = (by: readonly SpentBy[], runs: Parameters<typeof spentReport>[0], calendar: Calendar) =>
  atOnce(spentReport(runs, spentQuery(by, calendar))).rows;
const HOUR = 3_600_000;
const lengthOf = (day: string, calendar: Calendar): number =>
  (calendar.startOf(dayAfter(day)) - calendar.startOf(day)) / HOUR;

test('a day is as long as its zone has it', () => {
  const berlin = zone('Europe/Berlin');
  expect(lengthOf('2026-03-29', berlin)).toBe(23);
  expect(lengthOf('2026-10-25', berlin)).toBe(25);
  expect(lengthOf('2026-11-15', berlin)).toBe(24);
  expect(lengthOf('2026-11-15', zone('UTC'))).toBe(24);
  // Clocks go forward at midnight, so that the day begins at one.
  expect(new Date(zone('Africa/Cairo').startOf('2026-04-24')).toISOString()).toBe('2026-04-23T22:00:00.000Z');
  expect(lengthOf('2026-04-24', zone('Africa/Cairo'))).toBe(23);
  expect(lengthOf('2026-04-05', zone('Australia/Lord_Howe'))).toBe(24.5);
});

test.each([
  'Europe/Berlin',
  'America/New_York',
  'Africa/Cairo',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Apia',
])('each moment lies between the beginnings of its day and the next, in %s', (name) => {
  const calendar = zone(name);
  for (let at = Date.UTC(2026, 0, 1); at < Date.UTC(2027, 0, 1); at += 47 * 60_000) {
    const day = calendar.dayOf(at);
    if (calendar.startOf(day) > at || calendar.startOf(dayAfter(day)) <= at) throw new Error(`${day} has not ${at}`);
  }
  expect(calendar.dayOf(calendar.startOf('2026-07-01'))).toBe('2026-07-01');
});

test('a zone that is none, and a day that is none, are known as such', () => {
  expect(calendarIn('Mars/Olympus')).toBeUndefined();
  expect([isDay('2026-02-28'), isDay('2026-02-30'), isDay('soon')]).toEqual([true, false, false]);
});

const run = (startedAt: number, over: object = {}) => ({
  startedAt,
  state: 'ended' as const,
  outcome: 'answered' as const,
  waiting: 0,
  spent: [{ agent: 'desk', model: 'm/a', calls: 2, input: 10, output: 5, usd: 0.1, unpriced: 0 }],
  unpriced: 0,
  atLeast: false,
  ...over,
});

test('an hour that comes twice is two rows, and a sum says what it does not know', () => {
  const berlin = zone('Europe/Berlin');
  const first = Date.parse('2026-10-25T02:30:00+02:00');
  const shares = [{ agent: 'desk', model: 'm/a', calls: 2, input: 10, output: 5, unpriced: 2 }];
  const unpriced = run(first + HOUR, { spent: shares, unpriced: 2, atLeast: true, outcome: 'failed' });
  const rows = rowsBy(['hour'], [run(first), unpriced], berlin);
  expect(rows.map(({ from = 0, to = 0 }) => [from, to - from])).toEqual([
    [first - HOUR / 2, HOUR],
    [first + HOUR / 2, HOUR],
  ]);
  expect(rows[1]).toMatchObject({ runs: 1, notAnswered: 1, atLeast: true });
  expect(rows[1]?.usd).toBeUndefined();
  const [day] = rowsBy(['day'], [run(first), unpriced], berlin);
  expect(day).toMatchObject({ day: '2026-10-25', runs: 2, usd: 0.1, atLeast: true, unpriced: 2 });
  expect((day?.to ?? 0) - (day?.from ?? 0)).toBe(25 * HOUR);
});

test('totals count each run in the one way that it stands', () => {
  const totals = atOnce(
    runTotals([
      run(1),
      run(2, { state: 'running', outcome: undefined, waiting: 1 }),
      run(3, { state: 'broken-off', outcome: undefined }),
      run(4, { state: 'broken-off', outcome: undefined, queued: true }),
    ]),
  );
  expect(totals).toMatchObject({
    total: 4,
    states: { answered: 1, person: 1, 'broken-off': 1, queued: 1 },
    sum: { runs: 4, notAnswered: 1, usd: 0.4 },
  });
});

test('a run counts once in each row that has a call of it, and a sum of the rows of one kind is that of the runs', () => {
  const share = (agent: string, model: string, usd?: number) => ({
    agent,
    model,
    calls: 1,
    input: 10,
    output: 5,
    ...(usd === undefined ? { unpriced: 1 } : { usd, unpriced: 0 }),
  });
  const runs = [
    run(1, {
      spent: [share('desk', 'm/a', 0.1), share('clerk', 'm/a', 0.2), share('desk', 'm/b')],
      unpriced: 1,
      atLeast: true,
    }),
    run(2, { spent: [share('desk', 'm/a', 0.3)], outcome: 'failed' }),
    run(3, { spent: [] }),
  ];
  const by = (...kinds: SpentBy[]) =>
    rowsBy(kinds, runs, zone('UTC')).map(({ day, agent, model, runs: count, notAnswered, usd, atLeast }) =>
      [day, agent, model, count, notAnswered, usd, atLeast].filter((part) => part !== undefined).join(' '),
    );
  expect(by('day')).toEqual(['1970-01-01 3 1 0.6 true']);
  expect(by('agent')).toEqual(['clerk 1 0 0.2 false', 'desk 2 1 0.4 true']);
  expect(by('model')).toEqual(['m/a 2 1 0.6 false', 'm/b 1 0 true']);
  expect(by('day', 'agent', 'model')).toEqual([
    '1970-01-01 clerk m/a 1 0 0.2 false',
    '1970-01-01 desk m/a 2 1 0.4 false',
    '1970-01-01 desk m/b 1 0 true',
  ]);
  expect(by()).toEqual(['3 1 0.6 true']);
});
