// The address of a store in Postgres. What people read never holds its password.

import { fail } from '../../kernel/fault.ts';

export const isPostgresAddress = (text: string): boolean => /^postgres(?:ql)?:\/\//i.test(text);

/** The address without its password and parameters: for messages, logs and hints. */
export function shownAddress(address: string): string {
  const url = parsed(address);
  const user = url.username === '' ? '' : `${url.username}@`;
  return `postgres://${user}${url.host}${url.pathname}`;
}

/** Settings of every connection: the server notices within half a minute that a client has vanished. */
const SESSION = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3';

/** The address with our settings beside those that it has. */
export function withSettings(address: string): string {
  const url = parsed(address);
  const given = url.searchParams.get('options');
  url.searchParams.set('options', given === null ? SESSION : `${SESSION} ${given}`);
  return url.href;
}

function parsed(address: string): URL {
  if (isPostgresAddress(address) && URL.canParse(address)) return new URL(address);
  return fail('usage', 'The address of this store is not valid. Write it as postgres://user@host:5432/database.');
}
