// The spending of a run, as its events tell it. This is the one place that knows which event costs something: the list of
// runs, the ledger, the tree, telemetry and budgets all count what this reports.
// SPENT-1. A failed attempt is a call; the op's end is another, unless it only repeats the fault of its last attempt.
// SPENT-2. A call that had begun when its process died is in doubt. If the op is asked again after a resume, that is a
//          further call, and the one in doubt stays.
// SPENT-3. An op that was refused before anything was sent is not a call.
// SPENT-4. Journals of 0.2.0 hold the calls of a helper in a process of its own with the end of its run. Since then
//          each of them is an op.

import type { AgentName, ModelReply } from '../kernel/effect.ts';
import type { Fault, FaultCode } from '../kernel/fault.ts';
import type { Outcome } from '../kernel/outcome.ts';
import { type OpPath, ROOT } from '../kernel/path.ts';
import { isHelper, type SubagentCall } from '../kernel/subagent.ts';
import type { CallSpend } from '../kernel/usage.ts';
import type { Attempt, ModelDetail, OpEnd, OpStart, RunEvent } from './event.ts';

const NOTHING: readonly CallSpend[] = [];

/** The spending that one event reports, at its own path. */
export function spentIn(event: RunEvent): readonly CallSpend[] {
  if (event.type === 'attempt') return [event.spent];
  if (event.type !== 'op-end' || !event.result.ok) return NOTHING;
  if (event.kind === 'model') return [(event.result.value as ModelReply).spent];
  return event.kind === 'run' ? helperCallsIn(event) : NOTHING; // SPENT-4
}

const NO_CALLS: readonly SubagentCall[] = [];

const helperCallsIn = ({ result }: OpEnd): readonly SubagentCall[] =>
  (result.ok ? (result.value as Outcome).record?.calls : undefined) ?? NO_CALLS;

/** One model call, as soon as its fate is known. */
export interface Call {
  readonly status: 'ok' | 'failed' | 'in-doubt';
  /** The model that was called last, if nothing says what was spent. */
  readonly model: string;
  readonly spent: Partial<CallSpend> | undefined;
  readonly fault: FaultCode | undefined;
  readonly startedAt: number;
  /** Unknown for a call in doubt. */
  readonly ms: number | undefined;
}

/** The model op that a call is part of. For a call that has none (SPENT-4), its session stands in for it. */
export interface CallOp {
  readonly path: OpPath;
  readonly detail: ModelDetail;
}

interface OpenCall extends CallOp {
  model: string;
  triedAt: number;
  last: Attempt | undefined;
}

/** Reports each model call exactly once. */
export const callFold = (tell: (call: Call, op: CallOp) => void): CallFold => new CallFold(tell);

class CallFold {
  readonly #open = new Map<OpPath, OpenCall>();
  /** Helpers at work, by the path of their runs (SPENT-4). Absent where there never was one. */
  #helpers: Map<OpPath, AgentName> | undefined;
  readonly #tell: (call: Call, op: CallOp) => void;

  constructor(tell: (call: Call, op: CallOp) => void) {
    this.#tell = tell;
  }

  /** Calls that have begun and not ended. */
  get inFlight(): number {
    return this.#open.size;
  }

  /** No process works on the run any more: what has begun and not ended is in doubt. */
  settle(): void {
    for (const call of this.#open.values()) this.#doubt(call);
  }

  add(event: RunEvent): void {
    switch (event.type) {
      case 'op-start':
        if (event.op.kind === 'model') this.#begin(event, event.op);
        else if (event.op.kind === 'run' && isHelper(event.op.agent))
          (this.#helpers ??= new Map()).set(event.path, event.op.agent);
        return;
      case 'attempt': {
        const call = this.#open.get(event.path);
        return call === undefined ? undefined : this.#fail(call, event);
      }
      case 'op-end': {
        if (event.kind === 'run') return this.#endHelper(event);
        const call = this.#open.get(event.path);
        if (call === undefined) return;
        this.#open.delete(event.path);
        return this.#end(call, event);
      }
      case 'run-resume':
      case 'run-end':
        return this.settle();
      default:
    }
  }

  #begin({ path, at }: OpStart, detail: OpenCall['detail']): void {
    const earlier = this.#open.get(path);
    if (earlier !== undefined) this.#doubt(earlier); // SPENT-2
    const model = detail.models[0] ?? '';
    this.#open.set(path, { path, detail, model, triedAt: at, last: undefined });
  }

  #doubt(call: OpenCall): void {
    this.#open.delete(call.path);
    if (call.last?.then.kind !== 'give-up') this.#told(call, { status: 'in-doubt', startedAt: call.triedAt });
  }

  #fail(call: OpenCall, event: Attempt): void {
    const { fault, ms, then } = event;
    if (!isUnsent(fault)) {
      const spent = spentIn(event)[0];
      this.#told(call, { status: 'failed', spent, fault: fault.code, startedAt: event.at - ms, ms }); // SPENT-3
    }
    call.last = event;
    call.triedAt = event.at + (then.kind === 'retry' ? then.delayMs : 0);
    if (then.kind === 'failover') call.model = then.to;
  }

  #end(call: OpenCall, event: OpEnd): void {
    const { result } = event;
    const { triedAt: startedAt } = call;
    const ms = Math.max(0, event.at - startedAt);
    if (result.ok) this.#told(call, { status: 'ok', spent: spentIn(event)[0], startedAt, ms });
    else if (!isTold(result.fault, call.last)) {
      this.#told(call, { status: 'failed', fault: result.fault.code, startedAt, ms });
    }
  }

  /** SPENT-4 */
  #endHelper(event: OpEnd): void {
    const agent = this.#helpers?.get(event.path);
    if (agent === undefined) return;
    this.#helpers?.delete(event.path);
    for (const made of helperCallsIn(event)) {
      const { status, model, fault, started_at: startedAt, ms, turn, session = ROOT } = made;
      const path = `${event.path}${session.slice(ROOT.length)}`;
      const detail = { kind: 'model', session: path, agent, turn, models: [model], added: [] } as const;
      this.#tell({ status, model, spent: made, fault, startedAt, ms }, { path, detail });
    }
  }

  #told(
    call: OpenCall,
    {
      status,
      spent,
      fault,
      startedAt,
      ms,
    }: Pick<Call, 'status' | 'startedAt'> & Partial<Pick<Call, 'spent' | 'fault' | 'ms'>>,
  ): void {
    this.#tell({ status, model: call.model, spent, fault, startedAt, ms }, call);
  }
}

/** Faults of calls that were never sent: no provider, no key. Where there was no money, or no wish any more, they say so. */
const UNSENT: ReadonlySet<FaultCode> = new Set([
  'context/overflow',
  'model/unknown',
  'model/missing-key',
  'config/unset-variable',
]);

const isUnsent = (fault: Fault): boolean => UNSENT.has(fault.code) || fault.details?.['begun'] === false;

function isTold(fault: Fault, last: Attempt | undefined): boolean {
  if (isUnsent(fault)) return true; // SPENT-3
  if (last === undefined) return false;
  return last.then.kind === 'give-up' || (last.fault.code === fault.code && last.fault.message === fault.message); // SPENT-1
}

/** Faults from before a token was made. A call that broke later may have cost something, so its price is unknown. */
const REFUSED: ReadonlySet<FaultCode> = new Set([
  'model/unknown',
  'model/rate-limit',
  'model/server',
  'model/refused-key',
  'model/missing-key',
  'model/bad-request',
  'model/unscripted',
  'model/recording',
]);

/** True if a sum leaves this call out because its price is unknown. */
export const isUnpriced = (spent: Partial<CallSpend> | undefined, fault: FaultCode | undefined): boolean =>
  spent?.usd === undefined && !(spent?.usage === undefined && fault !== undefined && REFUSED.has(fault));

/** A sum of money as it is shown: no 0.30000000000000004. */
export const roundedUsd = (usd: number): number => Math.round(usd * 1e12) / 1e12;
