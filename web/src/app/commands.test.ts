// What was typed is marked in a title, and nothing in it is taken for a pattern.

import { expect, test } from 'vitest';
import { marked } from './commands.ts';

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
