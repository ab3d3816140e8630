// Texts that were made to keep redaction busy. The steps are counted, so that no slow machine can make these fail.

import { expect, test } from 'vitest';
import { KeyScan } from '../../src/secrets/key-shapes.ts';
import { withSecretsOfToday } from '../../src/secrets/redacted-cadre.ts';
import { openSecrets } from '../../src/secrets/secrets.ts';
import { folderWith } from '../support/cli.ts';

/** Each of them holds beginnings of keys, and no key. */
const HOSTILE: readonly string[] = [
  'sk-',
  'sk-x-',
  'eyJ-',
  'eyJ-eyJ-eyJ-eyJ-.',
  'eyJ-eyJ-eyJ-.eyJ-',
  'AKIA',
  'github_pat_ ',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN RSA PRIVATE KEY----- -----END ',
  '-----BEGIN ',
];

const stepsFor = (text: string): number => {
  const scan = new KeyScan(text);
  scan.finds();
  return scan.steps;
};

test.each(HOSTILE)('twice as much of %j takes twice as many steps, not four times', (unit) => {
  const small = stepsFor(unit.repeat(20_000));
  const large = stepsFor(unit.repeat(40_000));
  expect(large).toBeLessThanOrEqual(2 * small + 100);
  expect(large).toBeLessThanOrEqual(4 * unit.length * 40_000);
});

test('half a megabyte of beginnings of keys is redacted, and told in pieces, without a find', () => {
  const secrets = openSecrets((add) => add('KNOWN', 'a-known-value'));
  for (const unit of HOSTILE) {
    const text = unit.repeat(500_000 / unit.length);
    const without = secrets.redact(text).replaceAll(/\[redacted:[a-z-]+\]/g, '');
    expect(without.length).toBeLessThanOrEqual(text.length);
    const stream = secrets.stream();
    let told = '';
    for (let at = 0; at < text.length; at += 1000) told += stream.push(text.slice(at, at + 1000));
    expect((told + stream.end()).length).toBeGreaterThan(0);
  }
});

test('many marks in a pinned text are compared with today’s file in one pass', async () => {
  const mark = '[redacted:providers.a.apiKey]';
  const folder = folderWith({ 'cadre.yaml': `${'a'.repeat(4000)}!` });
  try {
    expect(await withSecretsOfToday(`${mark}a`.repeat(12) + mark, folder.path, 'cadre.yaml')).toBe(
      folder.read('cadre.yaml'),
    );
    const other = `${mark}a`.repeat(12) + '?';
    expect(await withSecretsOfToday(other, folder.path, 'cadre.yaml')).toBe(other);
    folder.write('cadre.yaml', 'key: one\nkey: two\n');
    expect(await withSecretsOfToday(`key: ${mark}\nkey: ${mark}\n`, folder.path, 'cadre.yaml')).toBe(
      'key: one\nkey: two\n',
    );
    const changed = `key: ${mark}\nother: ${mark}\n`;
    expect(await withSecretsOfToday(changed, folder.path, 'cadre.yaml')).toBe(changed);
  } finally {
    folder.remove();
  }
});
