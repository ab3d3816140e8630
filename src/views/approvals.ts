// The calls of a run that wait for a person, each with its address, and the verdicts on those that waited.

import type { OpEnd, RunEvent } from '../journal/event.ts';
import { opEndState } from '../journal/op-end-state.ts';
import { verdictIn } from '../kernel/control.ts';
import type { AgentName, Verdict } from '../kernel/effect.ts';
import { type OpPath, parentPath } from '../kernel/path.ts';
import { lineage } from './lineage.ts';

export interface WaitingApproval {
  readonly path: OpPath;
  /** The agent that asks. */
  readonly asker: AgentName;
  readonly prompt: string;
  /** The call that is asked about. */
  readonly about: unknown;
  /** When it began to wait. */
  readonly at: number;
}

/** A call that a person has decided, or that was decided beforehand. */
export interface DecidedApproval extends WaitingApproval {
  readonly verdict: Verdict;
  readonly decidedAt: number;
  /** The fate of the call. Absent: it was not made, or has not begun. `running`: it has begun and not ended. */
  readonly call?: {
    readonly path: OpPath;
    readonly state: ReturnType<typeof opEndState> | 'running';
    /** The beginning of what the tool answered, or of why it failed. */
    readonly text?: string;
  };
}

export interface ApprovalsFold {
  add(event: RunEvent): void;
  waiting(): readonly WaitingApproval[];
  readonly decided: ReadonlyMap<OpPath, Verdict>;
  /** Those that were decided, in the order of that, each with what came of its call. */
  settled(): readonly DecidedApproval[];
}

const TEXT_SHOWN = 200;

export function approvalsFold(): ApprovalsFold {
  const runs = lineage();
  const open = new Map<OpPath, WaitingApproval>();
  const decided = new Map<OpPath, Verdict>();
  const settled = new Map<OpPath, DecidedApproval>();
  /** The ops of approvals by the routine that asked and the id of the call: the call is made by the same routine. */
  const awaited = new Map<string, OpPath>();
  const calls = new Map<OpPath, OpPath>();
  const keyOf = (path: OpPath, id: unknown): string => `${parentPath(path) ?? ''} ${String(id)}`;
  const decide = (path: OpPath, verdict: Verdict, at: number): void => {
    const asked = open.get(path);
    open.delete(path);
    if (decided.has(path)) return;
    decided.set(path, verdict);
    if (asked === undefined) return;
    settled.set(path, { ...asked, verdict, decidedAt: at });
    awaited.set(keyOf(path, (asked.about as { readonly id?: unknown } | undefined)?.id), path);
  };
  const came = (asked: OpPath, call: NonNullable<DecidedApproval['call']>): void => {
    const known = settled.get(asked);
    if (known !== undefined) settled.set(asked, { ...known, call });
  };
  return {
    add(event) {
      runs.add(event);
      if (event.type === 'op-start' && event.op.kind === 'approval') {
        const { prompt, about } = event.op;
        const since = open.get(event.path)?.at ?? event.at; // asked again after a crash, it waits since the first time
        const asker = runs.above(event.path)?.agent ?? '';
        if (!decided.has(event.path)) open.set(event.path, { path: event.path, asker, prompt, about, at: since });
      } else if (event.type === 'op-start' && event.op.kind === 'tool') {
        const asked = awaited.get(keyOf(event.path, event.op.call.id));
        if (asked === undefined) return;
        calls.set(event.path, asked);
        came(asked, { path: event.path, state: 'running' });
      } else if (event.type === 'op-end' && event.kind === 'tool') {
        const asked = calls.get(event.path);
        if (asked !== undefined) came(asked, { path: event.path, state: opEndState(event), ...textOf(event) });
      } else if (event.type === 'op-end' && event.kind === 'approval') {
        if (event.result.ok) decide(event.path, event.result.value as Verdict, event.at);
        else open.delete(event.path);
      } else if (event.type === 'control' && event.refused === undefined && event.message.kind === 'verdict') {
        decide(event.message.op, verdictIn(event.message), event.at);
      } else if (event.type === 'run-end') open.clear();
    },
    waiting: () => [...open.values()],
    decided,
    settled: () => [...settled.values()],
  };
}

function textOf({ result }: OpEnd): { readonly text?: string } {
  const { text } = (result.ok ? result.value : { text: result.fault.message }) as { readonly text?: unknown };
  return typeof text === 'string' ? { text: text.slice(0, TEXT_SHOWN) } : {};
}
