// The host of heads: the process that serves them. `cadre serve` and `cadre mcp` each provide it, and a head does not
// know which of the two it is in.

import type { CallerAccess } from '../access.ts';
import { type Caller, mayUse } from '../caller.ts';
import type { ServerContext } from '../context.ts';
import type { AnsweredRuns } from './answered-runs.ts';

export interface HeadContext
  extends Pick<ServerContext, 'engine' | 'store' | 'cadres' | 'folder' | 'redact' | 'log' | 'now'> {
  readonly runs: Pick<ServerContext['runs'], 'start' | 'closesConnections'>;
}

/** Everything that a request through a head works with. */
export interface HeadParts {
  readonly context: HeadContext;
  /** The caller as they were when the request came. */
  readonly caller: Caller;
  /** The access of the caller for work that takes long: the rights may change while it is answered. */
  readonly access: CallerAccess;
  readonly answered: AnsweredRuns;
}

/** May the caller do this with the agent? */
export const mayWith = (caller: Caller, what: 'see' | 'run' | 'approve', agent: string): boolean =>
  caller.may.has(what) && mayUse(caller, agent);
