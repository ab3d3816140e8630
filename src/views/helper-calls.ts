// The model calls of helpers that ran in processes of their own. The record holds them with the end of the helper's op;
// where it has no end, at least one call is in doubt.

import type { OpDetail, RunEvent } from '../journal/event.ts';
import type { OpPath } from '../kernel/path.ts';
import { helperName, type SubagentResult } from '../kernel/subagent.ts';
import type { LedgerLine } from './ledger-line.ts';

type SubagentDetail = Extract<OpDetail, { kind: 'subagent' }>;

interface Open {
  readonly path: OpPath;
  readonly detail: SubagentDetail;
  readonly startedAt: number;
}

export interface HelperCalls {
  add(event: RunEvent): void;
  settle(): void;
}

export function helperCalls(tell: (line: LedgerLine) => void): HelperCalls {
  const open = new Map<OpPath, Open>();
  const doubt = (one: Open): void => {
    open.delete(one.path);
    tell({ ...lineOf(one), turn: 1, model: '', status: 'in-doubt', startedAt: one.startedAt });
  };
  return {
    add(event) {
      if (event.type === 'op-start') {
        const { path, op } = event;
        if (op.kind === 'subagent' && op.limits.runner === 'subprocess') {
          open.set(path, { path, detail: op, startedAt: event.at });
        }
      } else if (event.type === 'op-end') {
        const one = open.get(event.path);
        if (one === undefined) return;
        open.delete(event.path);
        const calls = event.result.ok ? ((event.result.value as SubagentResult).calls ?? []) : [];
        for (const { started_at: startedAt, ...call } of calls) tell({ ...lineOf(one), ...call, startedAt });
      }
    },
    settle() {
      for (const one of open.values()) doubt(one);
    },
  };
}

const lineOf = ({ path, detail }: Open) => ({
  path,
  session: path,
  agent: helperName(detail.agent),
  trigger: 'subagent' as const,
});
