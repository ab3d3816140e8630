import { expect, test } from 'vitest';
import { differing } from './differing.ts';

test('two texts are marked from the first word that differs to the last', () => {
  expect(differing('We are sorry. 189 EUR are back.', 'We are sorry. Your money is back.')).toEqual([
    { before: 'We are sorry. ', differs: '189 EUR are', after: ' back.' },
    { before: 'We are sorry. ', differs: 'Your money is', after: ' back.' },
  ]);
  expect(differing('same', 'same')[0]).toEqual({ before: 'same', differs: '', after: '' });
  expect(differing('', 'new')[1]).toEqual({ before: '', differs: 'new', after: '' });
});
