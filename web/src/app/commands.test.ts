// The typed words are marked in a title, and nothing in them is taken for a pattern.

import { expect, test } from 'vitest';
import { foundCommands, marked } from './commands.ts';

const hits = (title: string, typed: string) => marked(title, typed).flatMap(({ text, hit }) => (hit ? [text] : []));

test('each word that was typed is marked wherever it stands', () => {
  expect(hits('Fork here and go on', 'fork on')).toEqual(['Fork', 'on']);
});

test('signs of a pattern are plain text', () => {
  expect(hits('cadre fork --at 0.4.7', '0.4')).toEqual(['0.4']);
  expect(hits('10x4', '0.4')).toEqual([]);
});

test('the sign that chooses a kind is no part of what was typed', () => {
  expect(hits('refund-order', '@refund')).toEqual(['refund']);
});

test('groups stand in their order with at most ten each, and a sign chooses a kind', () => {
  const one = (kind: 'op' | 'agent', id: string) => ({ id, title: id, kind, run: () => undefined });
  const more = [
    () => [{ title: 'Ops', order: 3, commands: Array.from({ length: 30 }, (_, index) => one('op', `0.${index} pay`)) }],
    () => [{ title: 'Agents', order: 2, commands: [one('agent', 'payer'), one('agent', 'clerk')] }],
  ];
  const found = foundCommands('pay', more).map(({ title, commands }) => [title, commands.length]);
  expect(found).toEqual([
    ['Agents', 1],
    ['Ops', 10],
  ]);
  expect(foundCommands('@', more).map(({ title }) => title)).toEqual(['Agents']);
  expect(foundCommands('#0.29', more)[0]?.commands.map(({ id }) => id)).toEqual(['0.29 pay']);
});
