import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactedDeltas } from './redacted-deltas.ts';
import { redactedValue } from './redacted-value.ts';
import { openSecrets, type Secrets } from './secrets.ts';

const VALUE = 'hunter2/"quoted" & spaced+';

function knowing(...values: readonly string[]): Secrets {
  const secrets = openSecrets();
  values.forEach((value, index) => secrets.add(`S${index}`, value));
  return secrets;
}

const heard = (): boolean => true;

test('a value is found as it is, within JSON, within JSON within JSON, in addresses and in base64', () => {
  const secrets = knowing(VALUE);
  const json = JSON.stringify({ key: VALUE });
  const forms = [
    VALUE,
    json,
    JSON.stringify({ body: json }),
    `https://x.example/?key=${encodeURIComponent(VALUE)}`,
    `https://x.example/?${new URLSearchParams({ key: VALUE }).toString()}`,
    Buffer.from(VALUE).toString('base64'),
    Buffer.from(VALUE).toString('base64url'),
    Buffer.from(`user:${VALUE}`).toString('base64'),
    Buffer.from(`me:${VALUE}!`).toString('base64'),
    Buffer.from(`a:${VALUE}`).toString('base64'),
  ];
  for (const form of forms) {
    const text = secrets.redact(`before ${form} after`);
    expect(text, form).toMatch(/^before .*\[redacted:S0\].* after$/);
    expect(text).not.toContain('hunter2');
  }
});

test('the longest of several values wins, and short values are left alone', () => {
  const secrets = openSecrets();
  secrets.add('SHORT', 'abc');
  secrets.add('INNER', 'abcdefgh');
  secrets.add('OUTER', 'abcdefgh-and-more');
  expect(secrets.redact('abc abcdefgh abcdefgh-and-more')).toBe('abc [redacted:INNER] [redacted:OUTER]');
});

test('redacting twice is redacting once, even where a name is its own value', () => {
  const secrets = openSecrets();
  secrets.add('MY_TOKEN', 'MY_TOKEN');
  secrets.add('ODD', 'redacted');
  const once = secrets.redact('MY_TOKEN and redacted');
  expect(once).toBe('[redacted:MY_TOKEN] and [redacted:ODD]');
  expect(secrets.redact(once)).toBe(once);
});

test.each([
  ['sk-ant-api03-abcDEF0123456789abcDEF', 'sk-key'],
  ['AIzaSyA1234567890abcdefghijklmnopqrstuv', 'google-key'],
  ['ghp_abcdefghijklmnopqrstuvwxyz0123456789', 'github-token'],
  ['AKIAIOSFODNN7EXAMPLE', 'aws-key'],
  ['xoxb-123456789012-abcdefghij', 'slack-token'],
  ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N', 'jwt'],
  ['-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc=\n-----END RSA PRIVATE KEY-----', 'private-key'],
])('%s is told by its looks', (key, name) => {
  expect(openSecrets().redact(`key: ${key}.`)).toBe(`key: [redacted:${name}].`);
});

test.each([
  'risk-averse teams and task-lists of sk-learn pipelines and more words',
  'sk-learn-pipeline-transformers-example',
  'AIza is no key, nor is ghp_short or eyJ alone',
  '-----BEGIN CERTIFICATE-----\nMIIEow\n-----END CERTIFICATE-----',
  '3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed',
])('%j holds no key', (text) => {
  expect(openSecrets().redact(text)).toBe(text);
});

test('values that are known from the start are collected when something is redacted, and only once', () => {
  let asked = 0;
  const secrets = openSecrets((add) => {
    asked++;
    add('LATE', 'late-value-1');
  });
  expect(asked).toBe(0);
  expect(secrets.redact('late-value-1')).toBe('[redacted:LATE]');
  secrets.add('LATER', 'later-value-2');
  expect(secrets.redact('late-value-1 later-value-2')).toBe('[redacted:LATE] [redacted:LATER]');
  expect(asked).toBe(1);
});

test('texts and names of keys are redacted however deep, and what holds nothing is not copied', () => {
  const secrets = knowing('top-secret-1');
  const clean = { a: [1, null, 'b', { c: true }] };
  expect(redactedValue(clean, secrets)).toBe(clean);
  const dirty = { a: [{ 'x top-secret-1': ['top-secret-1'] }], b: clean };
  const made = redactedValue(dirty, secrets);
  expect(made).toEqual({ a: [{ 'x [redacted:S0]': ['[redacted:S0]'] }], b: clean });
  expect(made.b).toBe(clean);
});

test('a secret deep down costs no more than a shallow one', () => {
  const secrets = knowing('top-secret-1');
  let deep: unknown = 'top-secret-1';
  for (let level = 0; level < 500; level++) deep = level % 2 === 0 ? [deep] : { before: 1, deep, after: 2 };
  expect(JSON.stringify(redactedValue(deep, secrets))).toBe(
    JSON.stringify(deep).replace('top-secret-1', '[redacted:S0]'),
  );
});

const LITERALS = ['abababac', 'abab-secret', 'new\nline secret', 'my:sk-nested-0123456789'];
const KEY = 'sk-ant-api03-abcDEF0123456789abcDEF';

test('a secret in pieces is never shown, wherever it is cut', () => {
  const secrets = knowing(...LITERALS);
  const piece = fc.oneof(
    fc.constantFrom(...LITERALS, KEY, ...LITERALS.map((one) => one.slice(0, -2)), 'ab', 'sk-', ' ', 'plain words'),
    fc.string({ maxLength: 6 }),
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.infiniteStream(fc.integer({ min: 1, max: 9 })),
      (said, sizes) => {
        const whole = said.join(' ');
        let told = '';
        const deltas = redactedDeltas((_kind, text) => (told += text), heard, secrets);
        for (let at = 0; at < whole.length; ) {
          const size = sizes.next().value ?? 1;
          deltas.delta('text', whole.slice(at, at + size));
          at += size;
        }
        deltas.end();
        expect(told).toBe(secrets.redact(whole));
      },
    ),
    { numRuns: 500 },
  );
});

test('a listener that begins in the middle gets the output from its beginning, without the secret', () => {
  const told: string[] = [];
  let listens = false;
  const deltas = redactedDeltas(
    (_kind, text) => told.push(text),
    () => listens,
    knowing('zebra-secret'),
  );
  deltas.delta('reasoning', 'nobody hears this');
  deltas.delta('text', 'It is zebra-');
  listens = true;
  deltas.delta('text', 'secret, really');
  deltas.end();
  expect(told).toEqual(['It is [redacted:S0], really']);
});

test('plain words are shown at once', () => {
  const told: string[] = [];
  const deltas = redactedDeltas((_kind, text) => told.push(text), heard, knowing('zzz-secret'));
  deltas.delta('text', 'Hello ');
  deltas.delta('text', 'there, ');
  expect(told).toEqual(['Hello ', 'there, ']);
});

test('another kind of delta tells what was held back of the one before', () => {
  const told: string[] = [];
  const deltas = redactedDeltas(
    (kind, text, name) => told.push(`${kind} ${name ?? ''}${text}`),
    heard,
    knowing('zebra-secret'),
  );
  deltas.delta('reasoning', 'I think zeb');
  deltas.delta('text', 'zebra-sec');
  deltas.delta('text', 'ret!');
  deltas.delta('call', '{"a":"ze', 'one:');
  deltas.delta('call', 'bra-secret"}', 'two:');
  deltas.end();
  expect(told).toEqual([
    'reasoning I think ',
    'reasoning zeb',
    'text [redacted:S0]!',
    'call one:{"a":"',
    'call one:ze',
    'call two:bra-secret"}',
  ]);
});

test('a long text without secrets stays as it is', () => {
  const secrets = knowing(...Array.from({ length: 20 }, (_, index) => `secret-number-${index}-${index ** 7}`));
  const text = 'The keeper asks the harbour master for her ledger of ships, keys and task-lists. '.repeat(1000);
  expect(secrets.redact(text)).toBe(text);
});
