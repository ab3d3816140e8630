import { expect, test } from 'vitest';
import { fieldsOf } from '../../../../src/kernel/server-question.ts';
import { filledIn, newDraft } from './form-draft.ts';

const fields = fieldsOf({
  type: 'object',
  properties: {
    size: { type: 'string', enum: ['small', 'large'], default: 'small' },
    count: { type: 'integer', default: 2 },
    wrapped: { type: 'boolean', default: false },
    fast: { type: 'boolean' },
    card: { type: 'string', default: 'Hello' },
    to: { type: 'string' },
    extras: { type: 'array', items: { enum: ['ribbon', 'box'] }, default: ['box'] },
    tags: { type: 'array', items: { type: 'string' }, default: ['a', 'b'] },
  },
  required: ['size', 'count', 'to'],
});
const draft = newDraft(fields);

const answer = (more: object) => {
  const filled = filledIn(fields, { ...draft, to: 'Ada', ...more });
  return filled.ok ? (JSON.parse(filled.answer) as unknown) : filled.problem;
};

const DEFAULTS = { size: 'small', count: 2, wrapped: false, card: 'Hello', extras: ['box'], tags: ['a', 'b'] };

test('a form begins with its defaults, and a field without one is left out while it is empty', () => {
  expect(draft).toEqual({
    size: 'small',
    count: '2',
    wrapped: 'no',
    fast: '',
    card: 'Hello',
    to: '',
    extras: ['box'],
    tags: 'a, b',
  });
  expect(answer({})).toEqual({ ...DEFAULTS, to: 'Ada' });
});

test('a default that a person takes away does not come back', () => {
  expect(answer({ card: '', extras: [] })).toEqual({ ...DEFAULTS, to: 'Ada', card: '', extras: [] });
  expect(answer({ count: ' ' })).toBe('Fill in count first.');
});

test('the first field that is missing or wrong is named', () => {
  expect(answer({ to: '' })).toBe('Fill in to first.');
  expect(answer({ count: 'two' })).toBe('count takes an integer, not "two".');
});

test('values have the types of their fields', () => {
  expect(answer({ count: '17', wrapped: 'yes', fast: 'no', to: '42', tags: 'x, y' })).toEqual({
    ...DEFAULTS,
    count: 17,
    wrapped: true,
    fast: false,
    to: '42',
    tags: ['x', 'y'],
  });
});

test('a form without fields is answered as it is', () => {
  expect(filledIn([], newDraft([]))).toEqual({ ok: true, answer: '{}' });
});
