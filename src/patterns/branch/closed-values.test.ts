import { expect, test } from 'vitest';
import { closedValues } from './closed-values.ts';

const found = (property: unknown, required: readonly string[] = ['kind']) => {
  const schema = { type: 'object', properties: { kind: property }, required } as never;
  const closed = closedValues(schema, 'kind');
  return closed.kind === 'closed' ? closed.values : closed.why;
};

test('a constant, a list of values and a flag are closed', () => {
  expect(found({ const: 'a' })).toEqual(['a']);
  expect(found({ enum: ['a', 'b', 2, true] })).toEqual(['a', 'b', 2, true]);
  expect(found({ type: 'boolean' })).toEqual([true, false]);
  expect(found({ enum: ['a', 'a'] })).toEqual(['a']);
  expect(found({ type: 'boolean', enum: [true] })).toEqual([true]);
});

test('a property that is open says why', () => {
  for (const open of [{ type: 'string' }, {}, true, { enum: [] }])
    expect([open, found(open)]).toEqual([open, 'is not closed: its values are not listed']);
  expect(found({ enum: [], type: 'boolean' })).toEqual([true, false]);
  expect(found({ const: 'a' }, [])).toContain('is not required');
  expect(closedValues({ type: 'object', properties: {} } as never, 'kind')).toMatchObject({ kind: 'open' });
});

test('a value that is no case, or two values of one text, leave it open', () => {
  for (const odd of [null, 1.5, ['a'], {}])
    expect(found({ enum: ['a', odd] })).toBe(
      `may be ${JSON.stringify(odd)}, and a case is a text, a whole number, true or false`,
    );
  expect(found({ enum: ['1', 1] })).toBe('may be "1" and 1, which are one text');
  expect(found({ enum: [true, 'true'] })).toBe('may be true and "true", which are one text');
});
