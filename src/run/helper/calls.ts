// Reports each model call of a helper's process to its parent as soon as the call is over: one line for every attempt,
// as in the parent's own ledger.

import type { ModelReply, ModelRequest, Settled } from '../../kernel/effect.ts';
import type { Fault } from '../../kernel/fault.ts';
import type { StopSignal } from '../../kernel/stop-signal.ts';
import { countedIn, type Spent } from '../../kernel/usage.ts';
import { type CallDeps, callModel } from '../../models/failover.ts';
import type { ChildEnvelope } from './contract.ts';

type Turn = Pick<ModelRequest, 'session' | 'turn'>;

export interface Reporter {
  asking(of: Turn, model: string): void;
  /** The current call is over. */
  called(of: Turn, spent: Spent, end: { readonly ms?: number; readonly fault?: Fault; readonly text?: string }): void;
}

export function reporter(emit: (envelope: ChildEnvelope) => void): Reporter {
  let text = '';
  let since = 0;
  return {
    asking({ session, turn }, model) {
      since = Date.now();
      emit({ type: 'asking', session, turn, model, at: since });
    },
    called({ session, turn }, { model, usage, usd, counted }, { ms = Date.now() - since, fault, text: said = '' }) {
      if (said !== '') text = said;
      const call = {
        session,
        turn,
        model,
        status: fault === undefined ? ('ok' as const) : ('failed' as const),
        ...(usage && { usage }),
        ...(usd !== undefined && { usd }),
        ...(counted && { counted }),
        ...(fault && { fault: fault.code }),
        started_at: since,
        ms,
      };
      emit({ type: 'called', call, text });
    },
  };
}

export async function reportingCall(
  request: ModelRequest,
  resolve: CallDeps['resolve'],
  report: Reporter,
  signal: StopSignal,
  told: (fault: Fault) => Fault,
): Promise<Settled<ModelReply>> {
  let isTold = false;
  let model = request.models[0] ?? '';
  report.asking(request, model);
  const settled = await callModel(
    request,
    {
      resolve,
      listener: {
        told,
        onAttempt({ spent, fault, ms, then }) {
          isTold = then.kind === 'give-up';
          if (wasBegun(fault)) report.called(request, spent, { fault, ms });
          if (then.kind === 'failover') model = then.to;
          if (!isTold) report.asking(request, model);
        },
      },
    },
    signal,
  );
  if (settled.ok) report.called(request, settled.value.spent, { text: settled.value.message.text });
  else if (!isTold && wasBegun(settled.fault))
    report.called(request, { model, ...countedIn(settled.fault) }, { fault: settled.fault });
  return settled;
}

/** It was refused before anything was sent, so it does not count as a call. */
const wasBegun = ({ code, details }: Fault): boolean => details?.['begun'] !== false && code !== 'model/unknown';
