// Every address of the page is read back as the place that it was made of.

import { expect, test } from 'vitest';
import { addressOf, followedFrom, hrefOf, type Place, runHref, type Selection } from './addresses.ts';

const at = (path: string) => addressOf(new URL(path, 'http://127.0.0.1/'));

const places: readonly [string, Place][] = [
  ['/', { screen: 'runs' }],
  ['/runs', { screen: 'runs' }],
  ['/runs/last', { screen: 'run', run: 'last', tab: 'timeline' }],
  ['/runs/20261116-035515/conversation', { screen: 'run', run: '20261116-035515', tab: 'conversation' }],
  ['/runs/a/diff/b', { screen: 'diff', left: 'a', right: 'b' }],
  ['/runs/a/what-if', { screen: 'what-if', run: 'a' }],
  ['/agents', { screen: 'agents' }],
  ['/agents/help-desk%2Ffront-desk', { screen: 'agents', agent: 'help-desk/front-desk' }],
  ['/agents/editor/start', { screen: 'start', agent: 'editor' }],
  ['/approvals', { screen: 'approvals' }],
  ['/approvals/run-1', { screen: 'approvals', run: 'run-1' }],
  ['/tests', { screen: 'tests' }],
  ['/tests/last', { screen: 'tests', test: 'last' }],
  ['/tests/a/b', { screen: 'unknown', path: '/tests/a/b' }],
  ['/runs/a/nothing', { screen: 'unknown', path: '/runs/a/nothing' }],
  ['/agents/a/b/c', { screen: 'unknown', path: '/agents/a/b/c' }],
];

test.each(places)('%s is a place', (path, place) => {
  expect(at(path).place).toEqual(place);
});

test.each(places.slice(1))('the address of %s leads back to it', (_path, place) => {
  expect(at(hrefOf(place)).place).toEqual(place);
});

test.each<readonly [string, Selection | undefined]>([
  ['#0.4.7.1', { kind: 'op', path: '0.4.7.1' }],
  ['#0', { kind: 'op', path: '0' }],
  ['#seq=37', { kind: 'event', seq: 37 }],
  ['#1.2', undefined],
  ['#<script>', undefined],
  ['', undefined],
])('the text after the sign %s selects', (hash, selected) => {
  expect(at(`/runs/a${hash}`).selected).toEqual(selected);
});

test('the token leaves the query, the rest stays', () => {
  expect(at('/runs?token=secret&q=agent:editor').query).toEqual({ q: 'agent:editor' });
});

test('a query with empty fields is left out', () => {
  expect(runHref('a', 'journal', { query: { q: '', seq: undefined }, selected: { kind: 'event', seq: 3 } })).toBe(
    '/runs/a/journal#seq=3',
  );
});

test('a broken escape is a name like any other', () => {
  expect(at('/runs/%E0%A4%A').place).toEqual({ screen: 'run', run: '%E0%A4%A', tab: 'timeline' });
});

test('a link to another op of the run that is looked at keeps how it is looked at, and ends following', () => {
  const now = addressOf(
    new URL('http://page/runs/r/conversation?level=ops&rows=0.2&zoom=1-20&follow=on&session=0#0.2'),
  );
  const led = (href: string): string => followedFrom(now, new URL(href, 'http://page'));
  expect(led('/runs/r#0.4')).toBe('/runs/r?level=ops&zoom=1-20&rows=0.2#0.4');
  expect(led('/runs/other#0.4')).toBe('/runs/other#0.4');
  expect(led('/runs/r/conversation?session=0.4#0.4')).toBe('/runs/r/conversation?session=0.4#0.4');
  expect(led('/runs/r')).toBe('/runs/r');
});
