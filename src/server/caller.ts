// The caller of a request, and their rights.

import type { Permission } from '../definition/definition.ts';
import { PERMISSIONS } from '../definition/read/config/config-server.ts';
import { fail } from '../kernel/fault.ts';

export interface Caller {
  /** The name of the token; `owner` for the server's own, `anyone` without tokens. */
  readonly name: string;
  readonly may: ReadonlySet<Permission>;
  /** The names of the agents that it may use, with the prefix of their cadre. Absent: all. */
  readonly agents?: ReadonlySet<string>;
}

export const OWNER: Caller = { name: 'owner', may: new Set(PERMISSIONS) };
export const ANONYMOUS: Caller = { name: 'anyone', may: new Set(PERMISSIONS) };

export const mayUse = ({ agents }: Caller, agent: string): boolean => agents?.has(agent) ?? true;

/** True if a caller may use every agent that another one may. */
export const usesAll = ({ agents }: Caller, other: Caller): boolean =>
  agents === undefined || (other.agents !== undefined && [...other.agents].every((one) => agents.has(one)));

/** Throws `request/forbidden`. */
export function requirePermission(caller: Caller, permission: Permission): void {
  if (caller.may.has(permission)) return;
  fail(
    'request/forbidden',
    `The token "${caller.name}" may not ${permission}. It may: ${[...caller.may].join(', ')}. See server.tokens in cadre.yaml.`,
  );
}

/** An agent that the caller may not use is refused by name: the caller has named it. */
export function requireAgent(caller: Caller, agent: string): void {
  if (mayUse(caller, agent)) return;
  fail('request/forbidden', `The token "${caller.name}" may not use the agent "${agent}".`);
}
