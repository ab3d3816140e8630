// Ways to write a secret so that it is not found.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openSecrets, type Secrets } from '../../src/secrets/secrets.ts';

const VALUE = 'pl4nted/Secret=1&two+three "é"';
const knowing = (value: string): Secrets => openSecrets((add) => add('PLANTED', value));

const slashes = (text: string): string => JSON.stringify(text).replaceAll('/', '\\/');
const codes = (text: string): string =>
  text.replaceAll(/[^A-Za-z0-9]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);
const form = (text: string): string => new URLSearchParams({ v: text }).toString();

test.each([
  ['JSON with \\/', slashes(VALUE)],
  ['JSON with \\u003d and \\u0026', codes(VALUE)],
  ['JSON with capital digits', codes(VALUE).replaceAll(/\\u..../g, (code) => `\\u${code.slice(2).toUpperCase()}`)],
  ['JSON within JSON', JSON.stringify({ body: slashes(VALUE) })],
  ['a form', form(VALUE)],
  ['a form within JSON', slashes(`https://x.example/?${form(VALUE)}`)],
  ['a form within JSON, with codes', codes(form(VALUE))],
  ['JSON within a form', form(slashes(VALUE))],
  ['an address with small digits', encodeURIComponent(VALUE).toLowerCase().replace('secret', 'Secret')],
  ['every letter escaped', Array.from(Buffer.from(VALUE), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')],
  ['base64 in a form', form(Buffer.from(`user:${VALUE}`).toString('base64'))],
])('a secret is found in %s', (_what, written) => {
  const text = knowing(VALUE).redact(`before ${written} after`);
  expect(text).toContain('[redacted:PLANTED]');
  expect(text).toMatch(/^before .* after$/s);
  for (const part of ['pl4nted', '70%6c%34', Buffer.from(VALUE).toString('base64').slice(4, 16)]) {
    expect(text).not.toContain(part);
  }
});

test('a secret whose letters are escaped at random is found, and told in pieces it is never told', () => {
  const letter = fc.constantFrom('a', 'b', '/', '=', '&', '+', ' ', '%', '\\', '"', 'é', '\n');
  const ways = fc.array(fc.integer({ min: 0, max: 2 }), { minLength: 24, maxLength: 24 });
  fc.assert(
    fc.property(
      fc.array(letter, { minLength: 8, maxLength: 20 }),
      ways,
      fc.integer({ min: 1, max: 7 }),
      (all, how, size) => {
        const value = `x${all.join('')}x`;
        const written = Array.from(value, (one, index) => {
          const code = `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`;
          const plain = JSON.stringify(one).slice(1, -1);
          return [plain, code, one === '/' ? '\\/' : code][how[index] ?? 0];
        }).join('');
        const secrets = knowing(value);
        const text = `{"k":"${written}"}`;
        expect(secrets.redact(text)).toBe('{"k":"[redacted:PLANTED]"}');
        const stream = secrets.stream();
        let told = '';
        for (let at = 0; at < text.length; at += size) told += stream.push(text.slice(at, at + size));
        expect(told + stream.end()).toBe('{"k":"[redacted:PLANTED]"}');
      },
    ),
    { numRuns: 300 },
  );
});

test('a secret within a mark of its own is no mark', () => {
  const secrets = knowing('pl4nted-Secret');
  expect(secrets.redact('[redacted:pl4nted-Secret]')).toBe('[redacted:[redacted:PLANTED]]');
  expect(secrets.redact('[redacted:sk-ant-api03-abcDEF0123456789abcDEF]')).toBe('[redacted:[redacted:sk-key]]');
  expect(secrets.redact('[redacted:PLANTED] [redacted:sk-key]')).toBe('[redacted:PLANTED] [redacted:sk-key]');
});

test('a secret that begins where a mark ends is found', () => {
  expect(knowing(']pl4nted-Secret').redact('[redacted:PLANTED]pl4nted-Secret')).not.toContain('pl4nted');
});

test('a secret that stands where a held text grows too long is not told in halves', () => {
  const secrets = knowing('pl4nted-Secret-at-the-seam');
  for (const before of [32_760, 32_768, 32_780]) {
    const text = `sk-${'x'.repeat(before)}-pl4nted-Secret-at-the-seam and on`;
    const stream = secrets.stream();
    let told = '';
    for (let at = 0; at < text.length; at += 11) told += stream.push(text.slice(at, at + 11));
    told += stream.end();
    expect(told).not.toContain('pl4nted');
    expect(told).not.toContain('the-seam');
  }
});
