import { expect, test } from 'vitest';
import { between, chosenDays, daySlots, daysInWords, hourSlots, isChosenDay, withDays, withoutDays } from './days.ts';

const TODAY = '2026-11-18';

test('the days of a filter are read, left out and replaced, and other words stay', () => {
  const q = 'agent:desk since:2026-11-09 text until:2026-11-15';
  expect(chosenDays(q)).toEqual({ first: '2026-11-09', last: '2026-11-15' });
  expect(withoutDays(q)).toBe('agent:desk text');
  expect(withDays(q, { first: '2026-11-15T13', last: '2026-11-15T14' })).toBe(
    'agent:desk text since:2026-11-15T13 until:2026-11-15T14',
  );
  expect(withDays(q, undefined)).toBe('agent:desk text');
  expect(chosenDays('since:2h')).toBeUndefined();
  expect(withoutDays('since:2h')).toBe('since:2h');
  expect(chosenDays('since:2026-11-09')).toEqual({ first: '2026-11-09' });
});

test('a day is chosen with its hours, and by an hour of it', () => {
  const week = { first: '2026-11-09', last: '2026-11-15' };
  expect(['2026-11-08', '2026-11-09', '2026-11-15', '2026-11-16'].map((day) => isChosenDay(day, week))).toEqual([
    false,
    true,
    true,
    false,
  ]);
  expect(isChosenDay('2026-11-15T23', week)).toBe(true);
  expect(isChosenDay('2026-11-15', { first: '2026-11-15T13', last: '2026-11-15T14' })).toBe(true);
  expect(isChosenDay('2026-11-15T12', { first: '2026-11-15T13', last: '2026-11-15T14' })).toBe(false);
  expect(isChosenDay('2026-11-20', { first: '2026-11-09' })).toBe(true);
  expect(isChosenDay('2026-11-20', undefined)).toBe(false);
});

test('the strip ends today, and further back where an earlier day is chosen', () => {
  const usual = daySlots(TODAY, 35, undefined);
  expect([usual[0]?.key, usual.at(-1)?.key, usual.length]).toEqual(['2026-10-15', TODAY, 35]);
  expect(usual.flatMap(({ below }) => below ?? [])).toEqual(['15 Oct', '19', '26', '1 Nov', '9', '16', 'today']);
  expect(usual[0]?.title).toBe('Thursday 15 October 2026');
  const early = daySlots(TODAY, 14, { first: '2026-09-01', last: '2026-09-03' });
  expect([early[0]?.key, early.at(-1)?.key]).toEqual(['2026-09-01', '2026-09-14']);
  expect(hourSlots(TODAY).map(({ key }) => key)).toContain('2026-11-18T07');
  expect(hourSlots(TODAY).flatMap(({ below }) => below ?? [])).toEqual(['18 Nov', '06:00', '12:00', '18:00']);
});

test('chosen days are said as a person says them', () => {
  expect(daysInWords({ first: '2026-11-09', last: '2026-11-15' }, TODAY)).toBe('from 9 to 15 November');
  expect(daysInWords({ first: '2026-10-30', last: '2026-11-02' }, TODAY)).toBe('from 30 October to 2 November');
  expect(daysInWords({ first: '2025-12-31', last: '2026-01-01' }, TODAY)).toBe('from 31 December 2025 to 1 January');
  expect(daysInWords({ first: '2026-11-09', last: '2026-11-09' }, TODAY)).toBe('on 9 November');
  expect(daysInWords({ first: '2026-11-09' }, TODAY)).toBe('since 9 November');
  expect(between('2026-11-12', '2026-11-09')).toEqual({ first: '2026-11-09', last: '2026-11-12' });
});
