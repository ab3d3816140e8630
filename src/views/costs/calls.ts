// Model calls as lines of a ledger: one line each, with who made it and why that agent ran. All sums add up these.

import type { RunEvent } from '../../journal/event.ts';
import { type Call, type CallOp, callFold } from '../../journal/spent.ts';
import { type Lineage, lineage } from '../lineage.ts';
import type { LedgerLine } from './ledger-line.ts';

export type { LedgerLine } from './ledger-line.ts';

export function ledgerLineFold(
  tell: (line: LedgerLine) => void,
  runs: Lineage = lineage(),
): {
  add(event: RunEvent): void;
  /** No process works on the run any more: what has begun and not ended is in doubt. */
  settle(): void;
} {
  const calls = callFold((call, op) => tell(lineOf(call, op, runs)));
  return {
    settle: () => calls.settle(),
    add(event) {
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
    ...(spent?.usage && { usage: spent.usage }),
    ...(spent?.usd !== undefined && { usd: spent.usd }),
    ...(fault !== undefined && { fault }),
    startedAt,
    ...(ms !== undefined && { ms }),
  };
}
