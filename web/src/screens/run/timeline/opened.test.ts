import { expect, test } from 'vitest';
import { addressOf, runHref } from '../../../app/addresses.ts';
import { MOST_ROWS, openedIn, withRow } from './opened.ts';

const throughAddress = (text: string): ReadonlyMap<string, boolean> => {
  const href = runHref('r', 'timeline', { query: { rows: text } });
  return openedIn(addressOf(new URL(href, 'http://page')).query['rows']);
};

test('rows that were opened and closed by hand come back from an address as they were', () => {
  const opened = withRow(openedIn(withRow(openedIn(undefined), '0.2', true)), 'group 0.4.1', true);
  const closed = withRow(openedIn(opened), '0.2', false);
  expect(closed).toBe('g0.4.1_-0.2');
  expect(runHref('r', 'timeline', { query: { rows: closed } })).toBe('/runs/r?rows=g0.4.1_-0.2');
  expect([...throughAddress(closed)]).toEqual([
    ['group 0.4.1', true],
    ['0.2', false],
  ]);
});

test('an address holds the rows that were opened last, and no more than forty', () => {
  let text = '';
  for (let row = 0; row < 100; row++) text = withRow(openedIn(text), `0.${row}`, true);
  const opened = throughAddress(text);
  expect(opened.size).toBe(MOST_ROWS);
  expect([...opened.keys()].at(0)).toBe(`0.${100 - MOST_ROWS}`);
  expect([...opened.keys()].at(-1)).toBe('0.99');
});

test('a value that is no row in an address is left out', () => {
  expect([...openedIn('0.1_<b>_x_-_0.2.')]).toEqual([['0.1', true]]);
});
