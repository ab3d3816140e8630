import { expect, test } from 'vitest';
import {
  bytesOf,
  collectShared,
  MOST_BYTES,
  type ReferredResult,
  readShared,
  sharedContextText,
  sharedContextTool,
  snapshot,
} from './shared-context.ts';

const way = { words: 'Read it with read_result.', handle: 'h1' };
const referred = (label: string, value: unknown, more: Partial<ReferredResult> = {}): ReferredResult => ({
  label,
  value,
  way,
  ...more,
});
const errorOf = (given: unknown, parent?: Parameters<typeof readShared>[1]): string => {
  const read = readShared(given, parent);
  return 'error' in read ? read.error : 'none';
};

test('a shared context has JSON values under its keys, and references to runs', () => {
  const own = { topic: 'tides', 'two words': [1, null, { a: true }], n: -0.5 };
  expect(readShared({ ...own, $reader: 'reference' })).toEqual({ own, references: ['reader'] });
});

test('a value that is not JSON, a wrong key and a wrong reference are refused with their places', () => {
  expect(errorOf('text')).toBe('sharedContext must be an object of JSON values.');
  expect(errorOf({ a: { b: [1, Number.NaN] } })).toBe('sharedContext.a.b[1] is not a JSON number.');
  expect(errorOf({ a: Number.POSITIVE_INFINITY })).toBe('sharedContext.a is not a JSON number.');
  expect(errorOf({ a: () => 1 })).toBe('sharedContext.a is not a JSON value.');
  expect(errorOf({ a: new Date(0) })).toBe('sharedContext.a is not a JSON value.');
  expect(errorOf({ $reader: 'all of it' })).toContain('its value is "reference"');
  for (const key of ['', ' a', 'a\nb', '$', 'x'.repeat(129)])
    expect([key, errorOf({ [key]: key.startsWith('$') ? 'reference' : 1 })]).toEqual([
      key,
      expect.stringContaining('cannot be a key'),
    ]);
});

test('names that every object has are refused, as keys, in values and as references', () => {
  for (const name of ['constructor', 'toString', '__proto__', 'prototype']) {
    expect(errorOf(JSON.parse(`{"${name}": 1}`))).toContain('is refused');
    expect(errorOf({ a: JSON.parse(`{"${name}": 1}`) })).toContain('is refused');
    expect(errorOf({ [`$${name}`]: 'reference' })).toContain('is refused');
  }
});

test('values may be nested 32 levels, and have 65,536 bytes with what is inherited', () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : [nested(levels - 1)]);
  expect(errorOf({ a: nested(31) })).toBe('none');
  expect(errorOf({ a: nested(32) })).toContain('nested deeper than 32 levels');
  const frame = bytesOf({ a: '' });
  expect(errorOf({ a: 'x'.repeat(MOST_BYTES - frame) })).toBe('none');
  expect(errorOf({ a: 'x'.repeat(MOST_BYTES - frame + 1) })).toContain(`has ${MOST_BYTES + 1} bytes`);
  expect(errorOf({ a: 'x' }, { b: 'x'.repeat(MOST_BYTES - 15) })).toContain('with what is inherited');
});

test('the size is that of the JSON in UTF-8', () => {
  for (const value of ['a', 'é', '漢', '😀', { k: ['é', 1] }])
    expect([value, bytesOf(value)]).toEqual([value, Buffer.byteLength(JSON.stringify(value))]);
  expect(bytesOf(undefined)).toBe(0);
});

test('a snapshot has the values of the parent, then its own, then the results; a key that is set anew loses its handle', () => {
  const parent = { values: { a: 1, b: 1, c: 1 }, handles: { b: 'hb', c: 'hc' } };
  expect(snapshot(parent, { b: 2 }, [referred('c', 'short')])).toEqual({
    values: { a: 1, b: 2, c: 'short' },
    handles: {},
  });
  expect(snapshot(undefined, { b: 2 }, [])).toEqual({ values: { b: 2 }, handles: {} });
});

test('a result that does not fit is cut, says so, and can be read by its handle; all of it fits together', () => {
  const { values, handles } = snapshot(undefined, { own: 'x'.repeat(30_000) }, [
    referred('one', '漢'.repeat(20_000)),
    referred('two', { list: 'y'.repeat(40_000) }, { way: { words: 'It is gone.' } as ReferredResult['way'] }),
    referred('three', 'short'),
  ]);
  expect(handles).toEqual({ one: 'h1' });
  expect(values['three']).toBe('short');
  expect(values['one']).toMatch(/^漢+ \[… cut: 60002 bytes\. Read it with read_result\. …\]$/);
  expect(values['two']).toMatch(/^\{"list":"y+ \[… cut: 40011 bytes\. It is gone\. …\]$/);
  expect(bytesOf(values)).toBeLessThanOrEqual(MOST_BYTES);
  expect(bytesOf(values)).toBeGreaterThan(MOST_BYTES * 0.6);
  expect(bytesOf(values['one'])).toBeGreaterThan(9000);
});

test('a cut never leaves half a character', () => {
  const { values } = snapshot(undefined, { own: 'x'.repeat(60_000) }, [referred('one', '😀'.repeat(20_000))]);
  expect(JSON.stringify(values['one'])).not.toMatch(/\\ud83d/i);
});

test('the first of several results under one key counts, and none takes a key that is set', () => {
  const found = [referred('a', 1), referred('a', 2), referred('b', 3)];
  expect(collectShared(found)).toEqual({ values: { a: 1, b: 3 }, handles: {} });
  expect(collectShared(found, { a: 9 })).toEqual({ values: { b: 3 }, handles: {} });
  expect(collectShared(found, { a: 9, b: 9 })).toBeUndefined();
  expect(collectShared([])).toBeUndefined();
});

test('results that have no room any more are counted', () => {
  const found = Array.from({ length: 40 }, (_, nth) => referred(`r${nth}`, 'x'.repeat(4000)));
  const collected = collectShared(found);
  expect(bytesOf(collected?.values)).toBeLessThanOrEqual(MOST_BYTES + 512);
  expect(Object.keys(collected?.values ?? {}).filter((key) => key.startsWith('r')).length).toBeGreaterThan(14);
  expect(collected?.values['(left out)']).toMatch(/^Further keys: \d+\. Together they may have 65536 bytes\.$/);
});

test('the prompt has a line for each key, and no value can look like another line', () => {
  expect(sharedContextText({ a: 'x\n- b: y', n: 1 })).toBe('[Shared Context]:\n- a: "x\\n- b: y"\n- n: 1');
});

test('the tool reads one key or all, its own before those of the family, and names what is there', () => {
  const tool = sharedContextTool({ a: 1 }, { a: 2, b: 3 });
  const textOf = (given: unknown): unknown => {
    const step = tool.run({ id: 'c', name: 'shared_context', arguments: given } as never, {} as never).next();
    return (step.value as { readonly text?: string }).text;
  };
  expect(textOf({})).toBe('{"a":1,"b":3}');
  expect(textOf(undefined)).toBe('{"a":1,"b":3}');
  expect([textOf({ key: 'a' }), textOf({ key: 'b' })]).toEqual(['1', '3']);
  expect(textOf({ key: 'toString' })).toBe('There is no key "toString". Known: a, b.');
});
