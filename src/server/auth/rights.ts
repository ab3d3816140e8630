// The rights of callers at this server, as the settings and the log-ins are now. Requests that are being answered are
// looked at again when either changes.
// RIGHTS-1. A right that was taken away is gone, also where a reload finds a token that it cannot use: that one is left
//     out.

import type { ServerConfig } from '../../definition/definition.ts';
import { FaultError } from '../../kernel/fault.ts';
import { Accesses } from '../access.ts';
import { loginKey } from './login-key.ts';
import { openLogins } from './logins.ts';
import { openTokens, type Tokens } from './tokens.ts';

/** The pause between two looks at streams: log-ins end by themselves, and another process may end them. */
const LOOK_MS = 2000;

/** Throws `config/invalid` and `config/unset-variable`. */
export function openRights(server: {
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
}) {
  const { token, settings, folder, dir, address, log, now } = server;
  const read = (): Tokens => openTokens(token, settings().tokens, folder);
  let tokens = read();
  const [wrong] = tokens.faults;
  if (wrong !== undefined) throw new FaultError(wrong);
  const accesses = new Accesses();
  const key = loginKey(dir, log);
  const looking = setInterval(() => accesses.look(), LOOK_MS).unref();
  return {
    tokens: (): Tokens => tokens,
    logins: openLogins({ key, server: () => `${address()} ${folder}`, tokens: () => tokens, now }),
    accesses,
    /** Reads the tokens of the settings again. */
    reload(): void {
      tokens = read();
      for (const { message } of tokens.faults) log(`A token is left out: ${message}`); // RIGHTS-1
      accesses.changed();
    },
    close: (): void => clearInterval(looking),
  };
}
