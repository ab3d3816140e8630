// The names of keys, as bindings say them.

import { expect, test } from 'vitest';
import { keyName } from './keys.ts';

const press = (key: string, held: Partial<Record<'metaKey' | 'ctrlKey' | 'shiftKey' | 'altKey', boolean>> = {}) =>
  keyName({ key, metaKey: false, ctrlKey: false, shiftKey: false, altKey: false, ...held });

test.each([
  [press('k'), 'k'],
  [press('K', { shiftKey: true }), 'shift+k'],
  [press('k', { metaKey: true }), 'mod+k'],
  [press('k', { ctrlKey: true }), 'mod+k'],
  [press('?', { shiftKey: true }), '?'],
  [press(' '), 'Space'],
  [press('Enter', { ctrlKey: true }), 'mod+Enter'],
  [press('ArrowDown', { shiftKey: true }), 'shift+ArrowDown'],
])('%s is %s', (name, expected) => {
  expect(name).toBe(expected);
});
