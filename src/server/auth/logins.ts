// Log-ins of the page. Its cookie holds a value of its own, which no protocol takes as a token.
// LOGIN-1. A value is signed with the key of the store's folder, for one token and one server. So it is of no use at
//          another server, and it ends with its token, with the key, and after a month.
// LOGIN-2. Browsers send a cookie to every port of a host. So a value is good for the page's routes alone.

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Caller } from '../caller.ts';
import type { LoginKey } from './login-key.ts';
import type { KnownToken, Tokens } from './tokens.ts';

const DAY_MS = 86_400_000;
/** A log-in that is used is made again each day, so a page that is in use stays open. */
const RENEWED_MS = DAY_MS;
export const LOGIN_MS = 30 * DAY_MS;

export function openLogins({
  key,
  server,
  tokens,
  now,
}: {
  readonly key: LoginKey;
  /** The id that tells this server from others that use the same store. */
  server(): string;
  tokens(): Tokens;
  now(): number;
}) {
  const signed = (secret: string, token: KnownToken, claim: string): string =>
    createHmac('sha256', secret)
      .update(JSON.stringify(['cadre page', server(), token.caller.name, token.proof, claim]))
      .digest('base64url');
  return {
    /** The value for a token that is known. */
    begin(token: KnownToken): string {
      const claim = `${token.caller.name}.${now().toString(36)}.${randomBytes(12).toString('base64url')}`;
      return `${claim}.${signed(key.made(), token, claim)}`;
    },
    /** Undefined where the value is not good, or not any more. `isOld`: it is old enough to be replaced by a new one. */
    find(value: string): { token: KnownToken; caller: Caller; isOld: boolean } | undefined {
      const [, claim, name = '', since = '', sign = ''] = FORM.exec(value) ?? [];
      const secret = claim === undefined ? undefined : key.now();
      if (claim === undefined || secret === undefined) return undefined;
      const age = now() - Number.parseInt(since, 36);
      const token = tokens().named(name);
      if (token === undefined || !(age >= 0 && age < LOGIN_MS)) return undefined;
      if (!isEqual(sign, signed(secret, token, claim))) return undefined;
      return { token, caller: token.caller, isOld: age > RENEWED_MS };
    },
  };
}

export type Logins = ReturnType<typeof openLogins>;

/** The name of the token, when it was made, a nonce, and the signature. */
const FORM = /^(([a-z][a-z0-9_-]{0,63})\.([0-9a-z]{1,11})\.[\w-]{16})\.([\w-]{43})$/;

const isEqual = (one: string, other: string): boolean =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));
