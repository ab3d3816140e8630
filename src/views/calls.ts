// Model calls, each told exactly once as soon as its fate is known. All sums are made of these lines.
// C1. A failed attempt is a line; the op's end is another, unless it only repeats the fault of its last attempt.
// C2. A call that had begun when its process died is in doubt. If the op is asked again after a resume, that is a
//     further call, and the one in doubt stays.
// C3. An op that was refused before anything was sent is no call.

import type { Attempt, OpDetail, OpEnd, OpStart, RunEvent } from '../journal/event.ts';
import type { ModelReply, Trigger } from '../kernel/effect.ts';
import type { Fault, FaultCode } from '../kernel/fault.ts';
import type { OpPath } from '../kernel/path.ts';
import type { Spent } from '../kernel/usage.ts';
import { helperCalls } from './helper-calls.ts';
import type { LedgerLine } from './ledger-line.ts';
import { type Lineage, lineage } from './lineage.ts';

export type { LedgerLine } from './ledger-line.ts';

export interface CallFold {
  add(event: RunEvent): void;
  /** No process is at work on the run any more: what has begun and not ended is in doubt. */
  settle(): void;
}

type ModelDetail = Extract<OpDetail, { kind: 'model' }>;

interface Call {
  readonly path: OpPath;
  readonly detail: ModelDetail;
  readonly trigger: Trigger['kind'];
  open: boolean;
  model: string;
  triedAt: number;
  last?: Attempt;
}

export function callFold(tell: (line: LedgerLine) => void, runs: Lineage = lineage()): CallFold {
  const calls = new Map<OpPath, Call>();
  const open = new Set<Call>();
  const helpers = helperCalls(tell);

  const begin = (event: OpStart, detail: ModelDetail): void => {
    const earlier = calls.get(event.path);
    if (earlier?.open === true) doubt(earlier); // C2
    const trigger = runs.above(event.path)?.trigger.kind ?? 'start';
    const model = detail.models[0] ?? '';
    const call: Call = { path: event.path, detail, trigger, open: true, model, triedAt: event.at };
    calls.set(event.path, call);
    open.add(call);
  };
  const doubt = (call: Call): void => {
    close(call);
    if (call.last?.then.kind !== 'give-up') tell(lineOf(call, 'in-doubt', { startedAt: call.triedAt }));
  };
  const close = (call: Call): void => {
    call.open = false;
    open.delete(call);
  };
  const fail = (call: Call, event: Attempt): void => {
    const { spent, fault, ms, then } = event;
    if (!isUnsent(fault))
      tell(lineOf(call, 'failed', { ...spentOf(spent), fault: fault.code, startedAt: event.at - ms, ms })); // C3
    call.last = event;
    call.triedAt = event.at + (then.kind === 'retry' ? then.delayMs : 0);
    if (then.kind === 'failover') call.model = then.to;
  };
  const end = (call: Call, event: OpEnd): void => {
    close(call);
    const took = { startedAt: call.triedAt, ms: Math.max(0, event.at - call.triedAt) };
    if (event.result.ok) {
      tell(lineOf(call, 'ok', { ...spentOf((event.result.value as ModelReply).spent), ...took }));
    } else if (!isTold(event.result.fault, call.last)) {
      tell(lineOf(call, 'failed', { fault: event.result.fault.code, ...took }));
    }
  };
  const settle = (): void => {
    for (const call of open) doubt(call);
    helpers.settle();
  };

  return {
    settle,
    add(event) {
      runs.add(event);
      helpers.add(event);
      switch (event.type) {
        case 'op-start':
          if (event.op.kind === 'model') begin(event, event.op);
          return;
        case 'attempt':
        case 'op-end': {
          const call = calls.get(event.path);
          if (call === undefined) return;
          return event.type === 'attempt' ? fail(call, event) : end(call, event);
        }
        case 'run-resume':
        case 'run-end':
          return settle();
        default:
      }
    },
  };
}

/** Faults of calls that never left: no provider, no key, no money for it, or nobody wanted it any more. */
const UNSENT: ReadonlySet<FaultCode> = new Set([
  'budget/exceeded',
  'context/overflow',
  'model/unknown',
  'model/missing-key',
  'config/unset-variable',
]);

const isUnsent = (fault: Fault): boolean => UNSENT.has(fault.code) || fault.details?.['begun'] === false;

function isTold(fault: Fault, last: Attempt | undefined): boolean {
  if (isUnsent(fault)) return true; // C3
  if (last === undefined) return false;
  return last.then.kind === 'give-up' || (last.fault.code === fault.code && last.fault.message === fault.message); // C1
}

type Fate = Pick<LedgerLine, 'startedAt'> & Partial<Pick<LedgerLine, 'model' | 'usage' | 'usd' | 'fault' | 'ms'>>;

function lineOf({ path, detail, model, trigger }: Call, status: LedgerLine['status'], fate: Fate): LedgerLine {
  const { session, agent, turn } = detail;
  return { path, session, agent, turn, model, trigger, status, ...fate };
}

/** Only what is known, so that a line holds no undefined. */
function spentOf({ model, usage, usd }: Spent): Partial<LedgerLine> {
  return { ...(model !== '' && { model }), ...(usage && { usage }), ...(usd !== undefined && { usd }) };
}
