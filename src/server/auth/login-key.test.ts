import { mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { forgetLogins, loginKey } from './login-key.ts';

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'cadre-login-key-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const quiet = (): void => {};

test('servers of one store have one key, made by the first log-in', () => {
  const [one, other] = [loginKey(dir, quiet), loginKey(dir, quiet)];
  expect([one.now(), other.now()]).toEqual([undefined, undefined]);
  const key = one.made();
  expect([one.now(), other.now(), other.made()]).toEqual([key, key, key]);
});

test('log-ins that are forgotten end at servers that run, and the next one gets another key', () => {
  const [one, other] = [loginKey(dir, quiet), loginKey(dir, quiet)];
  const key = one.made();
  expect(other.now()).toBe(key);
  forgetLogins(dir);
  forgetLogins(dir);
  expect([one.now(), other.now()]).toEqual([undefined, undefined]);
  const next = other.made();
  expect(next).not.toBe(key);
  expect(one.now()).toBe(next);
});

test('a key that was put in place of another one is read', () => {
  const key = loginKey(dir, quiet);
  key.made();
  const path = join(dir, 'login-key');
  writeFileSync(path, `${'k'.repeat(32)}\n`);
  utimesSync(path, 1, 1);
  expect(key.now()).toBe('k'.repeat(32));
});

test('where the folder cannot be written, a key lives in memory and the log says what that means', () => {
  const store = join(dir, 'store');
  symlinkSync(join(dir, 'none', 'of', 'these'), store);
  const lines: string[] = [];
  const key = loginKey(store, (text) => lines.push(text));
  const made = key.made();
  expect(made).toMatch(/^[\w-]{32}$/);
  expect([key.now(), key.made()]).toEqual([made, made]);
  expect(lines).toEqual([expect.stringContaining('Log-ins end with this process: ')]);
});

test('a file that is not a key is no reason to make one in memory', () => {
  writeFileSync(join(dir, 'login-key'), 'not a key');
  const key = loginKey(dir, quiet);
  expect(() => key.made()).toThrow('does not hold a secret');
  expect(() => key.now()).toThrow('does not hold a secret');
  expect(readFileSync(join(dir, 'login-key'), 'utf8')).toBe('not a key');
});
