// The person who reads this terminal: their name for messages to runs, and the names under which journals know them.

import { userInfo } from 'node:os';

/** Undefined if the system does not know. */
export function personHere(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return process.env['USER']; // a user id without an entry, as in many containers
  }
}

/** The name of the person here, as a field of a message. */
export function saidBy(): { readonly by?: string } {
  const by = personHere();
  return by === undefined ? {} : { by };
}

/** The names under which the person at this terminal may stand in a journal: the server's own token is theirs, too. */
export function namesHere(): readonly string[] {
  const here = personHere();
  return here === undefined ? ['owner'] : [here, 'owner'];
}
