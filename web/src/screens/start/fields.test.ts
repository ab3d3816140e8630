import { expect, test } from 'vitest';
import { fieldsOf } from '../../parts/schema-fields.ts';
import { firstMissing, foldedFields, initialValues, valueOf, writtenIn } from './fields.ts';

test('a form begins with the defaults of its schema', () => {
  const fields = fieldsOf({
    type: 'object',
    properties: {
      order: { type: 'string' },
      currency: { enum: ['EUR', 'GBP'], default: 'EUR' },
      to: { type: 'object', properties: { city: { type: 'string' } } },
    },
  });
  expect(initialValues(fields ?? [])).toEqual({ currency: 'EUR' });
});

test('required fields stand first, then those that were given; the others are folded', () => {
  const type = 'string';
  const properties = { note: { type }, order: { type }, fast: { type }, why: { type } };
  const fields = fieldsOf({ type: 'object', properties, required: ['why', 'order'] }) ?? [];
  const { open, folded } = foldedFields(fields, new Set(['fast']));
  expect(open.map(({ name }) => name)).toEqual(['order', 'why', 'fast']);
  expect(folded.map(({ name }) => name)).toEqual(['note']);
});

test('the first required field without a value is named, also within an object', () => {
  const type = 'string';
  const to = { type: 'object', properties: { city: { type }, door: { type } }, required: ['city'] };
  const optional = fieldsOf({ type: 'object', properties: { note: { type }, to }, required: ['note'] }) ?? [];
  expect(firstMissing(optional, {})).toBe('note');
  expect(firstMissing(optional, { note: 'x' })).toBeUndefined();
  expect(firstMissing(optional, { note: 'x', to: { door: '1' } })).toBe('to.city');
  const required = fieldsOf({ type: 'object', properties: { to }, required: ['to'] }) ?? [];
  expect(initialValues(required)).toEqual({ to: {} });
  expect(firstMissing(required, initialValues(required))).toBe('to.city');
});

test('an empty field leaves its key out, and a wrong number stays as it was typed', () => {
  expect(valueOf('', { kind: 'text', long: false })).toBeUndefined();
  expect(valueOf('12x', { kind: 'number' })).toBe('12x');
  expect(valueOf('1.5', { kind: 'number' })).toBe(1.5);
  expect(valueOf('a\n\nb', { kind: 'list', of: 'text' })).toEqual(['a', 'b']);
  expect(writtenIn(['a', 'b'], { kind: 'list', of: 'text' })).toBe('a\nb');
});
