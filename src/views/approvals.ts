// The calls of a run that wait for a person, each with its address, and the verdicts on those that waited.

import type { OpEnd, RunEvent } from '../journal/event.ts';
import { opEndState } from '../journal/op-end-state.ts';
import { verdictIn } from '../kernel/control.ts';
import type { AgentName, Verdict } from '../kernel/effect.ts';
import { type OpPath, parentPath } from '../kernel/path.ts';
import { Lineage } from './lineage.ts';

export interface WaitingApproval {
  readonly path: OpPath;
  /** The agent that asks. */
  readonly asker: AgentName;
  readonly prompt: string;
  /** The call that is asked about. */
  readonly about: unknown;
  /** The time at which it began to wait. */
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

const TEXT_SHOWN = 200;

export class ApprovalsFold {
  readonly decided = new Map<OpPath, Verdict>();
  readonly #runs = new Lineage();
  readonly #open = new Map<OpPath, WaitingApproval>();
  readonly #settled = new Map<OpPath, DecidedApproval>();
  /** The ops of approvals by the routine that asked and the id of the call: the call is made by the same routine. */
  readonly #awaited = new Map<string, OpPath>();
  readonly #calls = new Map<OpPath, OpPath>();

  waiting(): readonly WaitingApproval[] {
    return [...this.#open.values()];
  }

  /** Those that were decided, in the order of that, each with what came of its call. */
  settled(): readonly DecidedApproval[] {
    return [...this.#settled.values()];
  }

  add(event: RunEvent): void {
    this.#runs.add(event);
    if (event.type === 'op-start' && event.op.kind === 'approval') {
      const { prompt, about } = event.op;
      const since = this.#open.get(event.path)?.at ?? event.at; // asked again after a crash, it waits since the first time
      const asker = this.#runs.above(event.path)?.agent ?? '';
      if (!this.decided.has(event.path))
        this.#open.set(event.path, { path: event.path, asker, prompt, about, at: since });
    } else if (event.type === 'op-start' && event.op.kind === 'tool') {
      const asked = this.#awaited.get(callKey(event.path, event.op.call.id));
      if (asked === undefined) return;
      this.#calls.set(event.path, asked);
      this.#came(asked, { path: event.path, state: 'running' });
    } else if (event.type === 'op-end' && event.kind === 'tool') {
      const asked = this.#calls.get(event.path);
      if (asked !== undefined) this.#came(asked, { path: event.path, state: opEndState(event), ...textOf(event) });
    } else if (event.type === 'op-end' && event.kind === 'approval') {
      if (event.result.ok) this.#decide(event.path, event.result.value as Verdict, event.at);
      else this.#open.delete(event.path);
    } else if (event.type === 'control' && event.refused === undefined && event.message.kind === 'verdict') {
      this.#decide(event.message.op, verdictIn(event.message), event.at);
    } else if (event.type === 'run-end') this.#open.clear();
  }

  #decide(path: OpPath, verdict: Verdict, at: number): void {
    const asked = this.#open.get(path);
    this.#open.delete(path);
    if (this.decided.has(path)) return;
    this.decided.set(path, verdict);
    if (asked === undefined) return;
    this.#settled.set(path, { ...asked, verdict, decidedAt: at });
    this.#awaited.set(callKey(path, (asked.about as { readonly id?: unknown } | undefined)?.id), path);
  }

  #came(asked: OpPath, call: NonNullable<DecidedApproval['call']>): void {
    const known = this.#settled.get(asked);
    if (known !== undefined) this.#settled.set(asked, { ...known, call });
  }
}

const callKey = (path: OpPath, id: unknown): string => `${parentPath(path) ?? ''} ${String(id)}`;

function textOf({ result }: OpEnd): { readonly text?: string } {
  const { text } = (result.ok ? result.value : { text: result.fault.message }) as { readonly text?: unknown };
  return typeof text === 'string' ? { text: text.slice(0, TEXT_SHOWN) } : {};
}
