import { expect, test } from 'vitest';
import type { RunEvent } from '../../journal/event.ts';
import type { LiveEvent } from '../../world/world.ts';
import { openLiveTexts } from './live-texts.ts';

const piece = (path: string, text: string): LiveEvent => ({ type: 'text', path, text });

test('a text that comes after the end of its op is not taken, and that of others is', () => {
  const texts = openLiveTexts();
  expect(texts.add(piece('0.1', 'one'))).toBe(true);
  texts.settle({ type: 'op-end', path: '0.1' } as RunEvent);
  expect(texts.add(piece('0.1', ' late'))).toBe(false);
  expect(texts.add(piece('0.2', 'two'))).toBe(true);
  expect(texts.soFar()).toEqual([{ ...piece('0.2', 'two'), whole: true }]);
});

test('the text of a further attempt of an op replaces that of the first one', () => {
  const texts = openLiveTexts();
  texts.add(piece('0.1', 'one'));
  texts.settle({ type: 'attempt', path: '0.1' } as RunEvent);
  expect(texts.add(piece('0.1', 'two'))).toBe(true);
  expect(texts.soFar()).toEqual([{ ...piece('0.1', 'two'), whole: true }]);
});
