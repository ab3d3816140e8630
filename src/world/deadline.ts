// The time for which the session of one agent may work. Time counts while it works: in the run that began it, and in
// every further message to it. No time counts while it waits to be asked again.

import type { Fault } from '../kernel/fault.ts';

export interface Deadline {
  readonly ms: number;
  readonly fault: Fault;
  /** Milliseconds of work so far. */
  usedMs: number;
  /** True while its session is at work. */
  isRunning: boolean;
  /** The deadline of the agent above. */
  readonly parent: Deadline | undefined;
}
