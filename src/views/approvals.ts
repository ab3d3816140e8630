// The calls of a run that wait for a person, each with its address, and the verdicts on those that waited.

import type { RunEvent } from '../journal/event.ts';
import { verdictIn } from '../kernel/control.ts';
import type { Verdict } from '../kernel/effect.ts';
import type { OpPath } from '../kernel/path.ts';

export interface WaitingApproval {
  readonly path: OpPath;
  readonly prompt: string;
  /** The call that is asked about. */
  readonly about: unknown;
  /** When it began to wait. */
  readonly at: number;
}

export interface ApprovalsFold {
  add(event: RunEvent): void;
  waiting(): readonly WaitingApproval[];
  readonly decided: ReadonlyMap<OpPath, Verdict>;
}

export function approvalsFold(): ApprovalsFold {
  const open = new Map<OpPath, WaitingApproval>();
  const decided = new Map<OpPath, Verdict>();
  const decide = (path: OpPath, verdict: Verdict): void => {
    open.delete(path);
    if (!decided.has(path)) decided.set(path, verdict);
  };
  return {
    add(event) {
      if (event.type === 'op-start' && event.op.kind === 'approval') {
        const { prompt, about } = event.op;
        const since = open.get(event.path)?.at ?? event.at; // asked again after a crash, it waits since the first time
        if (!decided.has(event.path)) open.set(event.path, { path: event.path, prompt, about, at: since });
      } else if (event.type === 'op-end' && event.kind === 'approval') {
        if (event.result.ok) decide(event.path, event.result.value as Verdict);
        else open.delete(event.path);
      } else if (event.type === 'control' && event.refused === undefined && event.message.kind === 'verdict') {
        decide(event.message.op, verdictIn(event.message));
      } else if (event.type === 'run-end') open.clear();
    },
    waiting: () => [...open.values()],
    decided,
  };
}
