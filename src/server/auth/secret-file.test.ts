import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { faultOf } from '../../kernel/fault.ts';
import { keptSecret, readSecret } from './secret-file.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cadre-secret-'));
  path = join(folder, 'store', 'login-key');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (of: string): number => statSync(of).mode & 0o777;
const refusal = (read: () => unknown): string => {
  try {
    return `read ${String(read())}`;
  } catch (thrown) {
    return `${faultOf(thrown).code}: ${faultOf(thrown).message}`;
  }
};

test('a secret is made once, for its owner alone, and nothing of the making stays', () => {
  const secret = keptSecret(path);
  expect(secret).toMatch(/^[\w-]{32}$/);
  expect(readFileSync(path, 'utf8')).toBe(`${secret}\n`);
  expect([modeOf(path), modeOf(dirname(path))]).toEqual([0o600, 0o700]);
  expect(readdirSync(dirname(path))).toEqual(['login-key']);
  expect([keptSecret(path), readSecret(path)]).toEqual([secret, secret]);
});

test('a secret lies in a folder that is there already as it is', () => {
  mkdirSync(dirname(path), { mode: 0o755 });
  chmodSync(dirname(path), 0o755);
  keptSecret(path);
  expect(modeOf(dirname(path))).toBe(0o755);
});

test('a secret that others could read is closed to them, and stays the same', () => {
  const secret = keptSecret(path);
  chmodSync(path, 0o640);
  expect(readSecret(path)).toBe(secret);
  expect(modeOf(path)).toBe(0o600);
  chmodSync(path, 0o400);
  expect(readSecret(path)).toBe(secret);
  expect(modeOf(path)).toBe(0o400);
});

test('a file that holds no secret, or is no file, is refused with the way out, and not replaced', () => {
  mkdirSync(dirname(path));
  for (const text of ['', 'short', `${'a'.repeat(32)} b`]) {
    writeFileSync(path, text);
    expect(refusal(() => keptSecret(path))).toContain('config/invalid');
    expect(refusal(() => keptSecret(path))).toContain('does not hold a secret. Remove it');
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
  rmSync(path);
  writeFileSync(`${path}.other`, 'a'.repeat(40));
  symlinkSync(`${path}.other`, path);
  expect(refusal(() => keptSecret(path))).toContain('is not a regular file');
  rmSync(path);
  mkdirSync(path);
  expect(refusal(() => keptSecret(path))).toContain('is not a regular file');
});

test('a place that cannot be written is an error of the store, and names the folder that was missing', () => {
  writeFileSync(dirname(path), 'a file where the folder of the store belongs');
  expect(refusal(() => keptSecret(path))).toContain('journal/write');
  expect(refusal(() => readSecret(join(folder, 'none')))).toContain('ENOENT');
});

test('a secret that is there is read, and nothing is made beside it', () => {
  const secret = keptSecret(path);
  mkdirSync(`${path}.${process.pid}.draft`); // nothing can be made
  expect(keptSecret(path)).toBe(secret);
});

test.skipIf(process.platform !== 'linux')('secrets that are made leave no file open', () => {
  const open = () => readdirSync('/proc/self/fd').length;
  const before = open();
  for (let count = 0; count < 50; count++) keptSecret(`${path}-${count}`);
  expect(open() - before).toBeLessThan(10);
});
