// A view that is kept up to date by need holds exactly the events that are shown.

import { expect, test } from 'vitest';
import type { RunEvent } from '../../../src/journal/event.ts';
import { folded } from './folded.ts';

const events = Array.from({ length: 6 }, (_, seq) => ({ seq }) as unknown as RunEvent);

function seen() {
  const made: string[][] = [];
  const view = folded(() => {
    const added: string[] = [];
    made.push(added);
    return {
      add: ({ seq }: RunEvent) => void added.push(String(seq)),
      settle: () => void added.push('settled'),
      added,
    };
  });
  return { made, at: (count: number, settled = false) => view.upTo({ events, count, settled }).added.join(' ') };
}

test('events are added once, in order', () => {
  const { at, made } = seen();
  expect([at(2), at(2), at(4)]).toEqual(['0 1', '0 1', '0 1 2 3']);
  expect(made).toHaveLength(1);
});

test('an earlier moment begins anew, and so does the way forward from a settled one', () => {
  const { at, made } = seen();
  at(4);
  expect(at(2)).toBe('0 1');
  expect(at(3, true)).toBe('0 1 2 settled');
  expect(at(3, true)).toBe('0 1 2 settled');
  expect(at(4, true)).toBe('0 1 2 3 settled');
  expect(at(4)).toBe('0 1 2 3');
  expect(made).toHaveLength(4);
});
