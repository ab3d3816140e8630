// Model calls as lines of a ledger: each is told once, with who made it and why that one ran. All sums are made of these.

import type { RunEvent } from '../journal/event.ts';
import { type Call, type CallOp, callFold as spentCalls } from '../journal/spent.ts';
import { helperName } from '../kernel/subagent.ts';
import type { LedgerLine } from './ledger-line.ts';
import { type Lineage, lineage } from './lineage.ts';

export type { LedgerLine } from './ledger-line.ts';

export interface CallFold {
  add(event: RunEvent): void;
  /** No process is at work on the run any more: what has begun and not ended is in doubt. */
  settle(): void;
}

export function callFold(tell: (line: LedgerLine) => void, runs: Lineage = lineage()): CallFold {
  const calls = spentCalls((call, op) => tell(lineOf(call, op, runs)));
  return {
    settle: () => calls.settle(),
    add(event) {
      runs.add(event);
      calls.add(event);
    },
  };
}

function lineOf(call: Call, { path, detail }: CallOp, runs: Lineage): LedgerLine {
  if (detail.kind === 'subagent') {
    return { path, session: path, agent: helperName(detail.agent), trigger: 'subagent', turn: 1, ...call };
  }
  const { session, agent, turn } = detail;
  return { path, session, agent, turn, trigger: runs.above(path)?.trigger.kind ?? 'start', ...call };
}
