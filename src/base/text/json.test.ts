import { expect, test } from 'vitest';
import { explainJsonError, isTooDeep, readJson } from './json.ts';

const nested = (levels: number, inside = ''): string => '['.repeat(levels) + inside + ']'.repeat(levels);

test('a text is parsed up to the depth, and not beyond it', () => {
  expect(readJson(nested(100)).ok).toBe(true);
  expect(readJson(nested(101))).toEqual({ ok: false, why: 'is nested more than 100 levels deep' });
  expect(readJson('{"a":'.repeat(101) + '1' + '}'.repeat(101)).ok).toBe(false);
  expect(readJson(nested(101), 200).ok).toBe(true);
  expect(readJson(nested(1_000_000)).ok).toBe(false);
});

test('brackets in strings and in names do not count', () => {
  for (const text of ['[['.repeat(200), '\\"[['.repeat(200), '\\\\', `${'\\\\'.repeat(101)}\\"[`]) {
    const json = JSON.stringify({ [text]: [text, { text }] });
    expect(readJson(json)).toEqual({ ok: true, value: JSON.parse(json) as unknown });
  }
  expect(readJson(`["\\\\", ${nested(100)}]`).ok).toBe(false);
  expect(readJson(`["\\"", ${nested(100)}]`).ok).toBe(false);
});

test('a text that is not JSON says so, with the words of the parser apart', () => {
  const found = readJson('{"a": ');
  expect(found).toMatchObject({ ok: false, why: 'is not JSON' });
  expect(found.ok ? '' : explainJsonError(found)).toMatch(/^is not JSON: ./);
  expect(readJson('"never ended [').ok).toBe(false);
});

test('a value is as deep as its text, and one that holds itself is too deep', () => {
  expect(isTooDeep(JSON.parse(nested(100)))).toBe(false);
  expect(isTooDeep(JSON.parse(nested(101)))).toBe(true);
  expect(isTooDeep('text')).toBe(false);
  const own: Record<string, unknown> = {};
  own['own'] = own;
  expect(isTooDeep(own)).toBe(true);
});
