// One attempt at one model: consumes a provider's stream, watches the clock, and judges the reply. Does not retry.
// A1. It settles exactly once, and at once when aborted or out of time, even where the provider does not listen.
// A2. After it has settled, nothing is passed on any more.

import { type Fault, FaultError, fault, faultOf } from '../kernel/fault.ts';
import type { AssistantMessage } from '../kernel/message.ts';
import type { Usage } from '../kernel/usage.ts';
import type { ModelEvent, ModelProvider, ProviderRequest } from './provider.ts';

export type Delta = Extract<ModelEvent, { type: 'text-delta' | 'reasoning-delta' | 'call-delta' }>;

export interface AttemptLimits {
  /** For the whole attempt. */
  readonly timeoutMs: number;
  /** Between two events, once the first has arrived: a first word may take long, a stream that began may not stop. */
  readonly stallMs: number;
  readonly clock: () => number;
  readonly onDelta?: ((delta: Delta) => void) | undefined;
}

export type AttemptResult = {
  readonly usage?: Usage;
  /** The cost as the provider reports it. */
  readonly usd?: number;
} & (
  | { readonly ok: true; readonly message: AssistantMessage }
  | { readonly ok: false; readonly fault: Fault; readonly retryAfterMs?: number }
);

export function attempt(
  provider: ModelProvider,
  request: ProviderRequest,
  limits: AttemptLimits,
  signal: AbortSignal,
): Promise<AttemptResult> {
  if (signal.aborted) return Promise.resolve(stop(cancelledFault(signal)));
  return new Promise((resolve) => {
    // Handed over whole, because making its signal costs more than all the rest of an attempt on a script.
    const controller = new AbortController();
    const started = limits.clock();
    let heard: number | undefined;
    let settled = false;

    const settle = (result: AttemptResult) => {
      settled = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const giveUp = (why: Fault) => {
      settle(stop(why));
      controller.abort();
    };
    const onAbort = () => giveUp(cancelledFault(signal));

    // One timer for both limits: when it fires too early because an event came in between, it is set again.
    const look = () => {
      const now = limits.clock();
      if (now - started >= limits.timeoutMs) {
        return giveUp(fault('model/timeout', `no complete reply within ${seconds(limits.timeoutMs)}.`));
      }
      if (heard !== undefined && now - heard >= limits.stallMs) {
        return giveUp(fault('model/stalled', `the stream stopped: nothing arrived for ${seconds(limits.stallMs)}.`));
      }
      const stallAt = (heard ?? now) + limits.stallMs;
      timer = setTimeout(look, Math.max(1, Math.min(started + limits.timeoutMs, stallAt) - now));
    };
    let timer = setTimeout(look, Math.min(limits.timeoutMs, limits.stallMs));
    signal.addEventListener('abort', onAbort, { once: true });

    const consume = async () => {
      for await (const event of provider.stream(request, controller)) {
        if (settled) return;
        heard = limits.clock();
        if (event.type === 'reply-end') return settle(judge(event));
        if (event.type === 'reply-fault') return settle(troubled(event));
        limits.onDelta?.(event);
      }
      if (!settled) settle(stop(fault('model/cut-off', 'the stream ended without the end of the reply.')));
    };
    consume().catch((error: unknown) => {
      // Once settled, this is only how the provider took our own abort (A2).
      if (!settled) settle(stop(faultOf(error)));
    });
  });
}

/** Whether a reply that arrived is one to go on with. */
function judge(end: Extract<ModelEvent, { type: 'reply-end' }>): AttemptResult {
  const { message, finish } = end;
  const cost = { ...(end.usage && { usage: end.usage }), ...(end.usd === undefined ? {} : { usd: end.usd }) };
  const bad = (why: Fault): AttemptResult => ({ ok: false, fault: withPartial(why, message.text), ...cost });
  if (finish === 'content-filter') {
    return bad(fault('model/content-filter', "the provider's filter stopped the reply."));
  }
  if (finish === 'length') {
    return bad(fault('model/cut-off', 'the reply hit the output limit before it was complete (maxOutputTokens).'));
  }
  const broken = message.calls.find((call) => call.malformed !== undefined);
  if (broken !== undefined) {
    const raw = broken.malformed ?? '';
    const shown = raw.length > 120 ? `${raw.slice(0, 120)}…` : raw;
    return bad(fault('model/malformed', `the arguments of ${broken.name} are not JSON: ${shown}`));
  }
  if (message.calls.length === 0 && message.text.trim() === '') {
    return bad(fault('model/empty', 'the reply held neither text nor a tool call.'));
  }
  return { ok: true, message, ...cost };
}

function troubled(event: Extract<ModelEvent, { type: 'reply-fault' }>): AttemptResult {
  const wait = event.retryAfterMs === undefined ? {} : { retryAfterMs: event.retryAfterMs };
  return { ok: false, fault: event.fault, ...wait, ...(event.usage && { usage: event.usage }) };
}

/** What had been written comes along with the fault. */
const withPartial = (why: Fault, text: string): Fault =>
  text.trim() === '' ? why : { ...why, details: { ...why.details, partial: text } };

const stop = (why: Fault): AttemptResult => ({ ok: false, fault: why });

/** Whoever aborted may have said why, as a fault or in words. */
export function cancelledFault(signal: AbortSignal): Fault {
  const why: unknown = signal.reason;
  if (why instanceof FaultError) return why.fault;
  return fault('cancelled', typeof why === 'string' ? why : 'the model call was cancelled.');
}

const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`);
