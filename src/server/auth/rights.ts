// The rights of callers at this server, as the settings and the log-ins are now. Requests that are being answered are
// looked at again when either changes.
// RIGHTS-1. A right that was taken away is gone, also where a reload finds a token that it cannot use: that one is left
//     out.

import type { ServerConfig } from '../../definition/definition.ts';
import { FaultError } from '../../kernel/fault.ts';
import { Accesses } from '../access.ts';
import { loginKey } from './login-key.ts';
import { type Logins, openLogins } from './logins.ts';
import { openTokens, type Tokens } from './tokens.ts';

/** The pause between two looks at streams: log-ins end by themselves, and another process may end them. */
const LOOK_MS = 2000;

interface RightsParts {
  /** The server's own token; undefined where it asks for none. */
  readonly token: string | undefined;
  settings(): Pick<ServerConfig, 'tokens'>;
  /** The folder that is served, where `.env` lies. */
  readonly folder: string;
  /** The folder of the key of log-ins. */
  readonly dir: string;
  /** The address that it listens on. */
  address(): string;
  log(text: string): void;
  now(): number;
}

/** Throws `config/invalid` and `config/unset-variable`. */
export function openRights({ token, settings, folder, dir, address, log, now }: RightsParts): {
  tokens(): Tokens;
  readonly logins: Logins;
  readonly accesses: Accesses;
  /** Reads the tokens of the settings again. */
  reload(): void;
  close(): void;
} {
  const read = (): Tokens => openTokens(token, settings().tokens, folder);
  let tokens = read();
  const [wrong] = tokens.faults;
  if (wrong !== undefined) throw new FaultError(wrong);
  const accesses = new Accesses();
  const key = loginKey(dir, log);
  const server = (): string => `${address()} ${folder}`;
  const looking = setInterval(() => accesses.look(), LOOK_MS).unref();
  return {
    tokens: () => tokens,
    logins: openLogins({ key, server, tokens: () => tokens, now }),
    accesses,
    reload() {
      tokens = read();
      for (const { message } of tokens.faults) log(`A token is left out: ${message}`); // RIGHTS-1
      accesses.changed();
    },
    close: () => clearInterval(looking),
  };
}
