// Model calls as lines of a ledger: one line each, with who made it and why that agent ran. All sums add up these.

import { present } from '../../base/text/present.ts';
import type { RunEvent } from '../../journal/event.ts';
import { type Call, type CallOp, callFold } from '../../journal/spent.ts';
import type { AgentName, SessionRef, Trigger } from '../../kernel/effect.ts';
import type { FaultCode } from '../../kernel/fault.ts';
import type { OpPath } from '../../kernel/path.ts';
import type { Usage } from '../../kernel/usage.ts';
import { Lineage } from '../lineage.ts';

/** One model call, as the ledger tells it. */
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

export function ledgerLineFold(tell: (line: LedgerLine) => void, runs: Lineage = new Lineage()) {
  const calls = callFold((call, op) => tell(lineOf(call, op, runs)));
  return {
    /** No process works on the run any more: what has begun and not ended is in doubt. */
    settle: (): void => calls.settle(),
    add(event: RunEvent): void {
      runs.add(event);
      calls.add(event);
    },
  };
}

/** Keeps only what is known, so that a line holds no undefined. */
function lineOf(
  { status, model, spent, fault, startedAt, ms }: Call,
  { path, detail }: CallOp,
  runs: Lineage,
): LedgerLine {
  const { session, agent, turn } = detail;
  return {
    path,
    session,
    agent,
    trigger: (runs.at(path) ?? runs.above(path))?.trigger.kind ?? 'start',
    turn,
    ...(detail.compact && { compact: true }),
    model: spent?.model === undefined || spent.model === '' ? model : spent.model,
    status,
    ...present({ usage: spent?.usage, usd: spent?.usd, fault }),
    startedAt,
    ...present({ ms }),
  };
}
