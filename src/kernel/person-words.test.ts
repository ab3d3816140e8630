import { expect, test } from 'vitest';
import { personWord } from './person-words.ts';

test('a person is you, a name or somebody, and never a name that the server made up', () => {
  expect(personWord('ada', ['ada', 'owner'])).toBe('you');
  expect(personWord('owner', ['owner'])).toBe('you');
  expect(personWord('ci', ['owner'])).toBe('ci');
  expect(personWord('owner', ['ci'])).toBe('whoever runs the server');
  expect(personWord('anyone')).toBe('somebody');
  expect(personWord(undefined)).toBe('somebody');
});
