// The name of the person at this terminal, for messages to runs.

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
