import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { openTokens } from './tokens.ts';

const folder = mkdtempSync(join(tmpdir(), 'cadre-tokens-'));
writeFileSync(join(folder, '.env'), 'SHOP_TOKEN=the-token-of-the-shop\nSHORT=fifteen-letters\n');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const OWNER = 'the-owners-own-token';
const text = (template: string) => ({ template, file: 'cadre.yaml', line: 3 });
const shop = { token: text('${SHOP_TOKEN}'), may: ['run'], agents: ['desk'] } as const;

test('each token has its caller, with the rights and the agents of its settings', () => {
  const tokens = openTokens(OWNER, { shop, all: { token: text('sixteen-letters!'), may: ['see'] } }, folder);
  expect(tokens.isNeeded).toBe(true);
  expect(tokens.faults).toEqual([]);
  expect(tokens.find(OWNER)?.caller.name).toBe('owner');
  expect(tokens.find('the-token-of-the-shop')?.caller).toEqual({
    name: 'shop',
    may: new Set(['run']),
    agents: new Set(['desk']),
  });
  expect(tokens.find('sixteen-letters!')?.caller).toEqual({ name: 'all', may: new Set(['see']) });
  expect(tokens.named('shop')).toBe(tokens.find('the-token-of-the-shop'));
  for (const secret of ['', 'the-token-of-the-sho', '${SHOP_TOKEN}']) expect(tokens.find(secret)).toBeUndefined();
  expect(tokens.named('desk')).toBeUndefined();
});

test('a token that is too short or has no value is left out with its reason, and the others stay', () => {
  const tokens = openTokens(
    OWNER,
    { short: { ...shop, token: text('${SHORT}') }, unset: { ...shop, token: text('${NOBODY_SETS_THIS}') }, shop },
    folder,
  );
  expect(tokens.faults.map(({ code }) => code)).toEqual(['config/invalid', 'config/unset-variable']);
  expect(tokens.faults[0]?.message).toBe('server.tokens.short has 15 characters. It needs at least 16.');
  expect(['short', 'unset', 'shop'].map((name) => tokens.named(name) !== undefined)).toEqual([false, false, true]);
});

test('a server without an own token asks for none, and knows what a token of its settings may', () => {
  const tokens = openTokens(undefined, { shop }, folder);
  expect(tokens.isNeeded).toBe(false);
  expect(tokens.anyone.name).toBe('anyone');
  expect(tokens.named('owner')).toBeUndefined();
  expect(tokens.find('the-token-of-the-shop')?.caller.name).toBe('shop');
});

test('two secrets of one caller have two proofs, and one secret has one', () => {
  const proofOf = (secret: string) => openTokens(secret, {}, folder).find(secret)?.proof;
  expect(proofOf(OWNER)).toBe(proofOf(OWNER));
  expect(proofOf(OWNER)).not.toBe(proofOf(`${OWNER}2`));
});
