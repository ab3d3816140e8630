import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { ServerToken } from '../../definition/definition.ts';
import { openRights } from './rights.ts';

let dir: string;
beforeEach(() => void (dir = mkdtempSync(join(tmpdir(), 'cadre-rights-'))));
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const token = (template: string): ServerToken => ({
  token: { template, file: 'cadre.yaml', line: 3 },
  may: ['see'],
});

function opened(tokens: Record<string, ServerToken>) {
  const lines: string[] = [];
  const held = { tokens };
  const rights = openRights({
    token: 'the-owners-own-token',
    settings: () => held,
    folder: dir,
    dir,
    address: () => '127.0.0.1:4000',
    log: (text) => lines.push(text),
    now: () => 1,
  });
  return { rights, lines, held };
}

test('a server does not start with a token that it cannot use', () => {
  expect(() => opened({ shop: token('short') })).toThrow('server.tokens.shop has 5 characters');
});

test('a reload reads the tokens again, tells those that are looked at, and leaves out with a word what it cannot use', () => {
  const { rights, lines, held } = opened({ shop: token('the-token-of-the-shop') });
  let told = 0;
  rights.accesses.watch(() => told++);
  expect(rights.tokens().named('shop')).toBeDefined();
  held.tokens = { shop: token('short'), desk: token('the-token-of-the-desk') };
  expect(rights.tokens().named('desk')).toBeUndefined();
  rights.reload();
  expect(['shop', 'desk'].map((name) => rights.tokens().named(name) !== undefined)).toEqual([false, true]);
  expect(lines).toEqual([expect.stringMatching(/^A token is left out: server\.tokens\.shop has 5 characters/)]);
  expect(told).toBe(1);
  rights.close();
});

test('a log-in ends when a reload takes its token away', () => {
  const { rights, held } = opened({ shop: token('the-token-of-the-shop') });
  const known = rights.tokens().named('shop');
  const value = known === undefined ? '' : rights.logins.begin(known);
  expect(rights.logins.find(value)?.caller.name).toBe('shop');
  held.tokens = {};
  rights.reload();
  expect(rights.logins.find(value)).toBeUndefined();
  rights.close();
});
