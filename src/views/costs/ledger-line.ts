// One model call, as the ledger tells it.

import type { AgentName, SessionRef, Trigger } from '../../kernel/effect.ts';
import type { FaultCode } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { Usage } from '../../kernel/usage.ts';

export interface LedgerLine {
  readonly path: OpPath;
  readonly session: SessionRef;
  readonly agent: AgentName;
  readonly turn: number;
  /** A compaction, after that turn. */
  readonly compact?: true;
  readonly model: string;
  readonly status: 'ok' | 'failed' | 'in-doubt';
  readonly usage?: Usage;
  readonly usd?: number;
  readonly fault?: FaultCode;
  readonly startedAt: number;
  /** Unknown for a call in doubt. */
  readonly ms?: number;
  /** The reason why the agent's run happened. */
  readonly trigger: Trigger['kind'];
}
