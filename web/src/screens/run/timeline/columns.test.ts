// The widths of columns, as a browser has kept them.

import { expect, test } from 'vitest';
import { widthsIn } from './columns.ts';

test('kept widths stay within what can be read', () => {
  expect(widthsIn({ names: 420, figures: 9000 })).toEqual({ names: 420, figures: 360 });
  expect(widthsIn({ names: -5 })).toEqual({ names: 140 });
});

test('a value that is no width is left out', () => {
  expect(widthsIn({ names: 'wide', other: 3, figures: null })).toEqual({});
  expect(widthsIn(undefined)).toEqual({});
  expect(widthsIn([300])).toEqual({});
});
