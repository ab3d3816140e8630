// Days and hours of the list of runs: those that the strip shows, and those that the filter chooses. A choice is two words
// of the filter, `since:` and `until:`, so it stands in the address. Pure.

import { dayAfter } from '../../../../src/views/runs/calendar.ts';

/** `2026-11-15` or `2026-11-15T13`; an end that is absent is open. */
export interface ChosenDays {
  readonly first?: string;
  readonly last?: string;
}

const TERM = /(^|\s)(since|until):(\d{4}-\d\d-\d\d(?:T\d\d)?)(?=\s|$)/gi;

export function chosenDays(q: string): ChosenDays | undefined {
  const found = new Map([...q.matchAll(TERM)].map(([, , field = '', day = '']) => [field.toLowerCase(), day] as const));
  const [first, last] = [found.get('since'), found.get('until')];
  if (first === undefined && last === undefined) return undefined;
  return { ...(first !== undefined && { first }), ...(last !== undefined && { last }) };
}

export const withoutDays = (q: string): string => q.replaceAll(TERM, '').trim();

/** The filter with these days in place of those that it has. */
export function withDays(q: string, days: ChosenDays | undefined): string {
  const words = [
    withoutDays(q),
    ...(days?.first === undefined ? [] : [`since:${days.first}`]),
    ...(days?.last === undefined ? [] : [`until:${days.last}`]),
  ];
  return words.filter((word) => word !== '').join(' ');
}

/** An hour is of the days that are chosen, and a day with a chosen hour in it is chosen. */
export function isChosenDay(key: string, days: ChosenDays | undefined): boolean {
  if (days === undefined) return false;
  const { first, last } = days;
  const fitting = (other: string): readonly [string, string] => {
    const length = Math.min(key.length, other.length);
    return [key.slice(0, length), other.slice(0, length)];
  };
  if (first !== undefined) {
    const [own, other] = fitting(first);
    if (own < other) return false;
  }
  if (last === undefined) return true;
  const [own, other] = fitting(last);
  return own <= other;
}

/** A place of the strip. */
export interface Slot {
  /** As the words of the filter have it. */
  readonly key: string;
  /** The words below it, if any. */
  readonly below?: string;
  readonly title: string;
}

const MONTHS = 'January February March April May June July August September October November December'.split(' ');
const WEEKDAYS = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ');

const utc = (day: string): Date => new Date(`${day.slice(0, 10)}T00:00:00Z`);
export const weekdayOf = (day: string): string => WEEKDAYS[utc(day).getUTCDay()] ?? '';
const monthOf = (day: string): string => MONTHS[utc(day).getUTCMonth()] ?? '';
const dateOf = (day: string): number => utc(day).getUTCDate();

/** `15 November 2026` */
export const dayInWords = (day: string): string => `${dateOf(day)} ${monthOf(day)} ${day.slice(0, 4)}`;

/** `from 9 to 15 November`, `on 15 November`, `since 9 November`: with the year where it is not that of today. */
export function daysInWords({ first, last }: ChosenDays, today: string): string {
  const words = (key: string, withMonth = true): string => {
    const hour = key.length > 10 ? `, ${key.slice(11)}:00` : '';
    const year = key.slice(0, 4) === today.slice(0, 4) ? '' : ` ${key.slice(0, 4)}`;
    return `${dateOf(key)}${withMonth ? ` ${monthOf(key)}${year}` : ''}${hour}`;
  };
  if (first === undefined) return `until ${words(last ?? today)}`;
  if (last === undefined) return `since ${words(first)}`;
  if (first === last) return `on ${words(first)}`;
  return `from ${words(first, first.slice(0, 7) !== last.slice(0, 7) || first.length > 10)} to ${words(last)}`;
}

/** So many days, the last of them today, or earlier if else the first chosen one would not be among them. */
export function daySlots(today: string, count: number, days: ChosenDays | undefined): readonly Slot[] {
  const begin = (days?.first ?? days?.last)?.slice(0, 10);
  const usual = dayAfter(today, 1 - count);
  const first = begin !== undefined && begin < usual ? begin : usual;
  let labelled = Number.NEGATIVE_INFINITY;
  return Array.from({ length: count }, (_, index) => {
    const key = dayAfter(first, index);
    const short = `${dateOf(key)} ${monthOf(key).slice(0, 3)}`;
    const isMonth = index === 0 || dateOf(key) === 1;
    const below = key === today ? 'today' : isMonth ? short : weekdayOf(key) === 'Monday' ? String(dateOf(key)) : '';
    const isRoom = key === today || (index - labelled > 2 && dayAfter(key) !== today);
    if (below === '' || !isRoom) return { key, title: `${weekdayOf(key)} ${dayInWords(key)}` };
    labelled = index;
    return { key, below, title: `${weekdayOf(key)} ${dayInWords(key)}` };
  });
}

const HOURS = 24;
const LABELLED_HOURS = 6;

export const hourSlots = (day: string): readonly Slot[] =>
  Array.from({ length: HOURS }, (_, hour) => {
    const two = String(hour).padStart(2, '0');
    const below = hour === 0 ? `${dateOf(day)} ${monthOf(day).slice(0, 3)}` : `${two}:00`;
    const title = `${dayInWords(day)}, ${two}:00`;
    return { key: `${day}T${two}`, title, ...(hour % LABELLED_HOURS === 0 && { below }) };
  });

/** The days from one to the other, in whichever order they were chosen. */
export const between = (one: string, other: string): ChosenDays =>
  one < other ? { first: one, last: other } : { first: other, last: one };
