import { expect, test } from 'vitest';
import { fieldsOf, initialValues, startCommand, valueOf, writtenIn } from './fields.ts';

test('a schema becomes fields with words for what is right', () => {
  const fields = fieldsOf({
    type: 'object',
    properties: {
      order: { type: 'string', pattern: '^[0-9]+$' },
      amount: { type: 'number', exclusiveMinimum: 0, description: 'In euros.' },
      currency: { enum: ['EUR', 'GBP'], default: 'EUR' },
      tags: { type: 'array', items: { type: 'string' } },
      to: { type: 'object', properties: { city: { type: 'string', maxLength: 20 } } },
      odd: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    },
    required: ['order'],
  });
  expect(fields?.map(({ name, what, says, required }) => [name, what.kind, says, required])).toEqual([
    ['order', 'text', 'text, like ^[0-9]+$', true],
    ['amount', 'number', 'number, more than 0', false],
    ['currency', 'choice', '', false],
    ['tags', 'list', 'one a line', false],
    ['to', 'object', '', false],
    ['odd', 'json', 'JSON', false],
  ]);
  expect(initialValues(fields ?? [])).toEqual({ currency: 'EUR', to: {} });
});

test('what no form can be made of is written as JSON', () => {
  expect(fieldsOf(undefined)).toBeUndefined();
  expect(fieldsOf(true)).toBeUndefined();
  expect(fieldsOf({ type: 'object', properties: {}, oneOf: [] })).toBeUndefined();
});

test('an empty field leaves its key out, and a wrong number stays as it was typed', () => {
  expect(valueOf('', { kind: 'text', long: false })).toBeUndefined();
  expect(valueOf('12x', { kind: 'number' })).toBe('12x');
  expect(valueOf('1.5', { kind: 'number' })).toBe(1.5);
  expect(valueOf('a\n\nb', { kind: 'list', of: 'text' })).toEqual(['a', 'b']);
  expect(writtenIn(['a', 'b'], { kind: 'list', of: 'text' })).toBe('a\nb');
});

test('the command can be pasted, whatever the text holds', () => {
  expect(startCommand('clerk', "it's here")).toBe(`cadre run clerk 'it'\\''s here'`);
  expect(startCommand('clerk', { a: 1 })).toBe(`cadre run clerk '{"a":1}'`);
});
