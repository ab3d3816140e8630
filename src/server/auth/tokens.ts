// The tokens of a server: its own, and those that cadre.yaml names. They are compared by their digests, in constant
// time, and every token is compared with every known one, so that time says nothing about them.

import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ServerToken } from '../../agents/definition.ts';
import { readEnvironment, resolveTemplate } from '../../agents/read/variables.ts';
import { fail } from '../../kernel/fault.ts';
import { ANYONE, type Caller, OWNER } from './caller.ts';

export interface Tokens {
  /** False where the server asks for none. */
  readonly isNeeded: boolean;
  /** The caller that a secret stands for: a token, or a cookie that was made of one. */
  callerOf(secret: string): Caller | undefined;
  /** What the page's cookie holds in place of the token. */
  cookieOf(token: string): string;
  /** The caller where no token is needed. */
  readonly anyone: Caller;
}

interface Known {
  readonly caller: Caller;
  readonly digest: Buffer;
  readonly cookie: Buffer;
}

/** The fewest characters of a token. */
export const MIN_TOKEN = 16;

/** Differs for each process: only digests of secrets are compared. */
const pepper = randomBytes(32).toString('hex');
const digestOf = (text: string): Buffer => hash('sha256', pepper + text, 'buffer');

/** It is the same after a restart, and of no use to guess the token. */
const cookieFor = (token: string): string => createHmac('sha256', token).update('cadre page').digest('base64url');

/** `owner` is the server's own token; undefined where it asks for none. */
export function openTokens(
  owner: string | undefined,
  named: Readonly<Record<string, ServerToken>>,
  folder: string,
): Tokens {
  const known: Known[] = owner === undefined ? [] : [knownBy(owner, OWNER)];
  const environment = Object.keys(named).length === 0 ? {} : readEnvironment(folder);
  for (const [name, { token, may, agents }] of Object.entries(named)) {
    const secret = resolveTemplate(token, environment);
    if (secret.length < MIN_TOKEN) {
      fail('config/invalid', `server.tokens.${name} has ${secret.length} characters. It needs at least ${MIN_TOKEN}.`);
    }
    known.push(knownBy(secret, { name, may: new Set(may), ...(agents && { agents: new Set(agents) }) }));
  }
  return {
    isNeeded: owner !== undefined,
    anyone: ANYONE,
    cookieOf: cookieFor,
    callerOf(secret) {
      const digest = digestOf(secret);
      let found: Caller | undefined;
      for (const one of known) {
        const isToken = timingSafeEqual(one.digest, digest);
        const isCookie = timingSafeEqual(one.cookie, digest);
        if (isToken || isCookie) found = one.caller;
      }
      return found;
    },
  };
}

const knownBy = (token: string, caller: Caller): Known => ({
  caller,
  digest: digestOf(token),
  cookie: digestOf(cookieFor(token)),
});
