import { expect, test } from 'vitest';
import { agent } from '../../../test/support/cadre.ts';
import { howToPhrase, inputOf, sampleOf } from './read-input.ts';

test('a sample of a schema has its required keys', () => {
  expect(
    sampleOf({
      type: 'object',
      properties: { id: { type: 'integer', minimum: 10 }, kind: { enum: ['a', 'b'] }, tags: { type: 'array' }, no: {} },
      required: ['id', 'kind', 'tags'],
    }),
  ).toEqual({ id: 10, kind: 'a', tags: ['…'] });
});

test('a missing input is answered with how to phrase it', () => {
  const desk = agent({ name: 'desk', usage: 'Your order number' });
  expect(howToPhrase(desk, './desk.md')).toBe(
    'How to phrase it: Your order number\nLike this: cadre run ./desk.md "…"',
  );
  expect(() => inputOf(desk, '  ')).toThrow('desk needs an input.\nHow to phrase it: Your order number');
  expect(inputOf(desk, 'seven')).toEqual({ text: 'seven' });
});

test('JSON is parsed and held to its schema', () => {
  const desk = agent({ name: 'desk', input: { format: 'json', schema: { type: 'object', required: ['n'] } } });
  expect(inputOf(desk, ' {"n": 1}')).toEqual({ text: '{"n":1}', data: { n: 1 } });
  expect(() => inputOf(desk, '{}')).toThrow('$ must have the property "n"');
  expect(() => inputOf(desk, '{')).toThrow('desk expects JSON, but the input is not JSON');
});
