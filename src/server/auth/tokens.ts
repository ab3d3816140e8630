// The tokens that a server knows: its own, and those of `server.tokens`. Secrets are compared in equal time.

import { createHash, hash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { ServerToken } from '../../definition/definition.ts';
import { readEnvironment, resolveTemplate } from '../../definition/read/variables.ts';
import { type Fault, FaultError, fault, faultOf } from '../../kernel/fault.ts';
import { ANONYMOUS, type Caller, OWNER } from '../caller.ts';

export interface KnownToken {
  readonly caller: Caller;
  /** Differs for each secret, and is of no use to guess it. */
  readonly proof: string;
}

/** The fewest characters of a token. */
export const MIN_TOKEN = 16;

/** Differs for each process: only digests of secrets are compared. */
const pepper = randomBytes(32).toString('hex');
const digestOf = (text: string): Buffer => hash('sha256', pepper + text, 'buffer');

/** `owner` is the server's own token; undefined where it asks for none. */
export function openTokens(owner: string | undefined, named: Readonly<Record<string, ServerToken>>, folder: string) {
  const environment = Object.keys(named).length === 0 ? {} : readEnvironment(folder);
  const faults: Fault[] = [];
  const tokens = owner === undefined ? [] : [keptToken(owner, OWNER)];
  for (const [name, { token, may, agents }] of Object.entries(named)) {
    try {
      const caller = { name, may: new Set(may), ...(agents && { agents: new Set(agents) }) };
      tokens.push(keptToken(secretOf(name, resolveTemplate(token, environment)), caller));
    } catch (thrown) {
      faults.push(faultOf(thrown));
    }
  }
  return {
    /** False where the server asks for none. */
    isNeeded: owner !== undefined,
    /** The caller where no token is needed. */
    anyone: ANONYMOUS,
    /** The reasons why tokens are left out: their variables are not set, or they are too short. */
    faults: faults as readonly Fault[],
    named: (name: string): KnownToken | undefined => tokens.find(({ caller }) => caller.name === name),
    find(secret: string): KnownToken | undefined {
      const digest = digestOf(secret);
      let found: KnownToken | undefined;
      for (const one of tokens) if (timingSafeEqual(one.digest, digest)) found = one;
      return found;
    },
  };
}

export type Tokens = ReturnType<typeof openTokens>;

function secretOf(name: string, secret: string): string {
  if (secret.length >= MIN_TOKEN) return secret;
  throw new FaultError(
    fault('config/invalid', `server.tokens.${name} has ${secret.length} characters. It needs at least ${MIN_TOKEN}.`),
  );
}

const keptToken = (secret: string, caller: Caller): KnownToken & { readonly digest: Buffer } => ({
  caller,
  digest: digestOf(secret),
  proof: createHash('sha256').update(`cadre page\0${secret}`).digest('base64url'),
});
