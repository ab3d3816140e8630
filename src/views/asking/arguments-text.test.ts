import fc from 'fast-check';
import { expect, test } from 'vitest';
import { argumentsText } from './arguments-text.ts';

test('short arguments are shown whole, as JSON', () => {
  const given = { path: 'a "b" c.txt', deep: { list: [1, 'two', { three: null }], none: {}, empty: [] }, yes: true };
  expect(argumentsText(given)).toBe(JSON.stringify(given, null, 2));
  expect(JSON.parse(argumentsText('x'))).toBe('x');
  expect(argumentsText(undefined)).toBe('{}');
});

test('a long value is cut with its size, and hides neither its neighbours nor its own end', () => {
  const text = argumentsText({ content: `begin${'.'.repeat(100_000)}end`, force: true, to: 'everybody' });
  expect(text).toMatch(/"content": "begin\.+" … \d+ of 100008 characters not shown … "\.+end",\n/);
  expect(text).toContain('  "force": true,\n  "to": "everybody"\n');
  expect(text.length).toBeLessThan(5000);
});

/** Every key of a value, however deep. */
function keysOf(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(keysOf);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysOf(inner)]);
}

test('every key is shown, whatever the values are', () => {
  const long = fc.nat(20_000).map((length) => 'x'.repeat(length));
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      long,
      fc.integer(),
      fc.boolean(),
      fc.array(tie('value'), { maxLength: 8 }),
      fc.dictionary(fc.string({ maxLength: 300 }), tie('value'), { maxKeys: 12 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), value, { minKeys: 1 }), (given) => {
      const shown = [...argumentsText(given).matchAll(/^ *("(?:[^"\\]|\\.)*"): /gm)].map(
        ([, key]) =>
          JSON.parse((key ?? '').replaceAll(/\\u\{([0-9a-f]+)\}/g, (_, code) => pair(code as string))) as string,
      );
      expect(shown.toSorted()).toEqual(keysOf(given).toSorted());
    }),
  );
});

const pair = (code: string): string => {
  const text = String.fromCodePoint(Number.parseInt(code, 16));
  return [...Array(text.length).keys()].map((at) => `\\u${text.charCodeAt(at).toString(16)}`).join('');
};

test('a small object between large ones is shown, and what is left out is counted', () => {
  const many = (name: string) => Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`${name}${at}`, at]));
  const list = Array.from({ length: 5000 }, (_, at) => at);
  const text = argumentsText({ first: many('a'), list, target: { host: 'prod', sure: true }, second: many('b') });
  expect(text).toContain('"target": {\n    "host": "prod",\n    "sure": true\n  }');
  expect(text).toContain('… 4900 items of 5000 not shown here …');
  expect(text).toMatch(/"a0": 0,\n[^]*… \d{4} keys of 5000 not shown here …[^]*"a4999": 4999\n/);
  expect(text.split('\n').length).toBeLessThan(2100);
});

test('nine hundred keys beside a long value are all shown', () => {
  const keys = Array.from({ length: 900 }, (_, at) => `key${at}`);
  const text = argumentsText({ long: 'x'.repeat(1_000_000), ...Object.fromEntries(keys.map((key) => [key, key])) });
  for (const key of keys) expect(text).toContain(`"${key}": "${key}"`);
});

test('arguments that are nested without end are shown to a depth, and the rest is counted', () => {
  let given: unknown = { secret: true };
  for (let depth = 0; depth < 20_000; depth++) given = { down: given };
  expect(argumentsText(given)).toContain('{ … 1 key not shown … }');
});

test('characters that cannot be seen are written out, in keys and in values', () => {
  const hidden = [
    '\u001b[2K',
    '\u202e',
    '\u2066',
    '\u200b',
    '\ufeff',
    '\u00ad',
    '\u0085',
    '\u2028',
    '\u00a0',
    '\u3164',
  ];
  for (const one of [...hidden, '\u{e0041}', '\u{e0100}', '\ud800', '\u007f', '\n', '\r']) {
    const text = argumentsText({ [`k${one}`]: `v${one}` });
    expect(text.split('\n')).toHaveLength(3);
    expect(text.replaceAll('\n', '')).toMatch(/^[ -~]+$/);
  }
  expect(argumentsText('rm \u202e-rf')).toBe('"rm \\u202e-rf"');
  expect(argumentsText('\u{e0041}')).toBe('"\\u{e0041}"');
  expect(argumentsText('schön 東京 🙂')).toBe('"schön 東京 🙂"');
});

test('text that looks like a cut or like another key stays within its quotes', () => {
  const forged = 'x" … 9 of 9 characters not shown … "y",\n  "force": false';
  expect(argumentsText({ a: forged })).toBe(`{\n  "a": ${JSON.stringify(forged)}\n}`);
});
