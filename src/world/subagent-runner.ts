// The contract of a runner: where a helper of the `subagent` tool does its work. Two implementations, one suite.

import type { Effect, Routine } from '../kernel/effect.ts';
import type { OpPath } from '../kernel/path.ts';
import type { SubagentResult } from '../kernel/subagent.ts';

export type SubagentEffect = Extract<Effect, { kind: 'subagent' }>;

/** What a runner sees of the op that it works for. */
export interface RunnerOp {
  readonly path: OpPath;
  /** Aborted with a fault that says why: the deadline, or a cancel from above. */
  readonly signal: AbortSignal;
  /** When the op began, if that was in an earlier process. */
  readonly since?: number;
  /** Drives a routine under the op, so that what it asks for is recorded. */
  drive<Value>(routine: Routine<Value>): Promise<Value>;
}

export interface SubagentRunner {
  /** Never throws for a failure of the helper: a failed start, a deadline and a malformed answer are results. */
  run(effect: SubagentEffect, op: RunnerOp): Promise<SubagentResult>;
}
