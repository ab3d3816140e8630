import { createRequire } from 'node:module';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { linearPattern, StepsSpent } from './linear-pattern.ts';

const matches = (source: string, text: string, flags = 'u'): boolean =>
  linearPattern(source, flags).test(text, { left: 1_000_000 });

test.each<[string, readonly string[]]>([
  ['^[a-z][a-z0-9_-]{0,63}$', ['', 'a', 'A', 'a-b', `a${'b'.repeat(64)}`]],
  ['^(?:open|paid)$', ['open', 'paid', 'opens', '']],
  ['a*?b+?c??', ['b', 'c', 'aabb']],
  ['^(?=.*\\d)(?!.*x).{3,}$', ['ab1', 'abc', 'x12', '1']],
  ['(?<=a)b|(?<!c)d', ['ab', 'cb', 'cd', 'd', 'b']],
  ['\\bword\\b', ['a word.', 'words', 'word']],
  ['\\Bx', ['ax', 'x', ' x']],
  ['^[\\w\\s\\-.]+$', ['a b-c.', 'a\u00a0b', 'é']],
  ['^\\p{Lu}\\u{1f600}?\\ud83d\\ude00$', ['É😀', 'É😀😀', 'é😀']],
  ['^.$', ['😀', '\n', 'ab', '\u2028']],
  ['[^]', ['', '\n']],
  ['(?<year>\\d{4})-(?<month>\\d{2,})', ['2026-1', '2026-01']],
  ['^(a|b|)*$', ['', 'abab', 'abc']],
  ['^(?:(?:a?){2,3}b){1,2}$', ['b', 'aab', 'aaabaaab', 'aaaab', '']],
  ['\\/\\.\\*\\x41\\t', ['/.*A\t', '/.*a\t']],
  ['', ['', 'x']],
])('%s matches what the language says', (source, texts) => {
  for (const text of texts)
    expect(matches(source, text), JSON.stringify(text)).toBe(new RegExp(source, 'u').test(text));
});

test('patterns that are only valid without the unicode flag, and letters of two units, match as the language says', () => {
  for (const source of ['^[\\w\\-]+\\-$', 'a{,2}', 'x]', '^\\-$', '^.$']) {
    for (const text of ['a-', 'a{,2}', 'x]', '-', '😀', 'a']) {
      expect(matches(source, text, ''), `${source} on ${text}`).toBe(new RegExp(source).test(text));
    }
  }
});

test('every pattern made of the usual parts matches as the language says', () => {
  const { pattern } = fc.letrec<{ pattern: string }>((tie) => ({
    pattern: fc.oneof(
      { maxDepth: 4, withCrossShrink: true },
      fc.constantFrom('a', 'b', '.', '[ab]', '[^a]', '\\w', '\\d', '\\s', 'é', '^', '$', '\\b', '\\u0061', '\\.'),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => left + right),
      fc.tuple(tie('pattern'), tie('pattern')).map(([left, right]) => `(${left}|${right})`),
      fc
        .tuple(tie('pattern'), fc.constantFrom('*', '+', '?', '{2}', '{1,2}', '{0,}', '*?', '??'))
        .map(([part, times]) => `(?:${part})${times}`),
      fc.tuple(fc.constantFrom('?=', '?!', '?<=', '?<!'), tie('pattern')).map(([look, part]) => `(${look}${part})`),
    ),
  }));
  const text = fc
    .array(fc.constantFrom('a', 'b', 'é', ' ', '1', '.', '\n'), { maxLength: 6 })
    .map((all) => all.join(''));
  fc.assert(
    fc.property(pattern, text, fc.constantFrom('u', '', 'i', 'ui'), (source, on, flags) => {
      expect(matches(source, on, flags)).toBe(new RegExp(source, flags).test(on));
    }),
    { numRuns: 3000 },
  );
});

test('the formats of Ajv match as they do there', () => {
  const { fullFormats } = createRequire(import.meta.url)('ajv-formats/dist/formats.js') as {
    readonly fullFormats: Readonly<Record<string, unknown>>;
  };
  const samples = [
    'a@b.example',
    'a.b+c@d-e.example.com',
    'http://user:pw@x.example:80/a/b?c=d#e',
    'https://[::1]/',
    'ftp://münchen.example/ä',
    '::1',
    '1:2:3:4:5:6:7:8',
    '1.2.3.4',
    'x.example',
    'P1Y2M',
    'P',
    '/a/~0b',
    '#/a',
    '0/a',
    '{a}/{?b*}',
    'f81d4fae-7dec-11d0-a765-00a0c91e6bf6',
    'not one',
    '',
  ];
  const formats = Object.entries(fullFormats).filter((entry): entry is [string, RegExp] => entry[1] instanceof RegExp);
  expect(formats.length).toBeGreaterThan(8);
  for (const [name, native] of formats) {
    const linear = linearPattern(native.source, native.flags);
    for (const sample of samples) {
      expect(linear.test(sample, { left: 1_000_000 }), `${name} on ${sample}`).toBe(native.test(sample));
    }
  }
});

test.each([`^${'(a|a)'.repeat(40)}$`, '^(a+)+$', `^${'a?'.repeat(100)}${'a'.repeat(100)}$`, '(x+x+)+y', '(.*a){20}'])(
  '%s takes twice as many steps on twice the text',
  (source) => {
    const pattern = linearPattern(source, 'u');
    const stepsOn = (length: number): number => {
      const steps = { left: 50_000_000 };
      pattern.test(`${'a'.repeat(length)}!`, steps);
      return 50_000_000 - steps.left;
    };
    expect(stepsOn(4000)).toBeLessThan(2.1 * stepsOn(2000));
  },
);

test('a match that takes too many steps ends, and is not answered', () => {
  expect(() => linearPattern('(.*a){20}', 'u').test('a'.repeat(1000), { left: 1000 })).not.toThrow();
  expect(() => linearPattern('(.*a){20}b', 'u').test('a'.repeat(1000), { left: 1000 })).toThrow(StepsSpent);
});

test('a pattern that refers back or repeats too much is refused with a reason', () => {
  expect(() => linearPattern('(a)\\1', 'u')).toThrow('refers back');
  expect(() => linearPattern('(?<n>a)\\k<n>', 'u')).toThrow('refers back');
  expect(() => linearPattern('(?:a{1000}){1000}', 'u')).toThrow('repeats too much');
});
