import { expect, test } from 'vitest';
import { LOGIN_MS, openLogins } from './logins.ts';
import { openTokens } from './tokens.ts';

const DAY_MS = 86_400_000;

function opened() {
  const clock = { at: 1_700_000_000_000 };
  const key: { value: string | undefined } = { value: 'k'.repeat(32) };
  const held = { tokens: openTokens('the-owners-own-token', {}, '.'), server: '127.0.0.1:4000 /srv/books' };
  const logins = openLogins({
    key: { now: () => key.value, made: () => (key.value ??= 'n'.repeat(32)) },
    server: () => held.server,
    tokens: () => held.tokens,
    now: () => clock.at,
  });
  const owner = held.tokens.find('the-owners-own-token');
  if (owner === undefined) throw new Error('The owner is known.');
  return { logins, clock, key, held, owner };
}

test('a log-in is good for a month to the millisecond, and is to be made again after a day', () => {
  const { logins, clock, owner } = opened();
  const begun = clock.at;
  const value = logins.begin(owner);
  const isOldAfter = (ms: number) => {
    clock.at = begun + ms;
    return logins.find(value)?.isOld;
  };
  expect(logins.find(value)).toMatchObject({ caller: { name: 'owner' }, token: owner, isOld: false });
  expect([0, DAY_MS, DAY_MS + 1, LOGIN_MS - 1].map(isOldAfter)).toEqual([false, false, true, true]);
  expect([LOGIN_MS, LOGIN_MS + 1, -1].map(isOldAfter)).toEqual([undefined, undefined, undefined]);
});

test('a log-in ends with its key, its token and its server', () => {
  for (const end of [
    ({ key }: ReturnType<typeof opened>) => void (key.value = undefined),
    ({ key }: ReturnType<typeof opened>) => void (key.value = 'o'.repeat(32)),
    ({ held }: ReturnType<typeof opened>) => void (held.tokens = openTokens(undefined, {}, '.')),
    ({ held }: ReturnType<typeof opened>) => void (held.tokens = openTokens('another-token-of-the-owner', {}, '.')),
    ({ held }: ReturnType<typeof opened>) => void (held.server = '127.0.0.1:4001 /srv/books'),
  ]) {
    const all = opened();
    const value = all.logins.begin(all.owner);
    expect(all.logins.find(value)).toBeDefined();
    end(all);
    expect(all.logins.find(value)).toBeUndefined();
  }
});

test('a value that differs from a log-in anywhere is none', () => {
  const { logins, owner } = opened();
  const value = logins.begin(owner);
  for (let place = 0; place < value.length; place++) {
    const other = value[place] === 'a' ? 'b' : 'a';
    expect(logins.find(value.slice(0, place) + other + value.slice(place + 1))).toBeUndefined();
  }
  for (const other of ['', `${value}a`, value.slice(0, -1), ` ${value}`]) expect(logins.find(other)).toBeUndefined();
  expect(logins.begin(owner)).not.toBe(value);
});
