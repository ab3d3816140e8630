// Performs one model call: up to `maxRetries` attempts at each of the request's models, in order of preference.
// F1. A fault that another try may help (by the fault table) is retried after a pause; any other ends that model.
// F2. Every failed attempt is reported once, with what it cost and what happens next, before it happens.
// F3. An abort ends it at once, in a pause too, and is neither retried nor reported as an attempt.

import type { ModelReply, ModelRequest, Settled } from '../kernel/effect.ts';
import { type Fault, isRetriable } from '../kernel/fault.ts';
import type { AssistantMessage } from '../kernel/message.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import type { Spent, Usage } from '../kernel/usage.ts';
import { type AttemptResult, attempt, cancelledFault, type Delta } from './attempt.ts';
import { backoffMs, PATIENCE_MS } from './backoff.ts';
import { pause } from './pause.ts';
import type { ProviderRequest, ResolvedModel } from './provider.ts';

const STALL_MS = 60_000;

export type NextMove =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'failover'; readonly to: string }
  | { readonly kind: 'give-up' };

export interface FailedAttempt {
  /** Counted over the whole call, from 1. */
  readonly number: number;
  readonly spent: Spent;
  readonly fault: Fault;
  readonly ms: number;
  readonly then: NextMove;
}

/** Who follows a call. */
export interface CallListener {
  onDelta?(delta: Delta): void;
  /** A fault of a provider as it may be told: without secrets, and then cut. */
  told?(fault: Fault): Fault;
  onAttempt?(failed: FailedAttempt): void | Promise<void>;
  /** The reply is whole. */
  onReply?(): void;
}

export interface CallDeps {
  resolve(model: string): Settled<ResolvedModel> | Promise<Settled<ResolvedModel>>;
  readonly listener?: CallListener;
  /** Milliseconds; Date.now unless told. */
  readonly clock?: () => number;
  /** Ends early, without an error, when the signal is aborted. */
  readonly sleep?: (ms: number, signal: StopSignal) => Promise<void>;
  /** A minute unless told. */
  readonly stallMs?: number;
}

export function callModel(request: ModelRequest, deps: CallDeps, signal: StopSignal): Promise<Settled<ModelReply>> {
  const [name] = request.models;
  if (name === undefined) return callInTurn(request, deps, signal);
  const found = deps.resolve(name);
  if (found instanceof Promise || !found.ok || signal.aborted) return callInTurn(request, deps, signal, { found });
  // Nearly always the first attempt is the last, and then nothing is kept for others.
  const started = (deps.clock ?? Date.now)();
  return tryOnce(found.value, request, deps, signal).then((result) => {
    const usd = result.ok ? priceOf(found.value, result) : undefined;
    if (!result.ok || usd instanceof Promise)
      return callInTurn(request, deps, signal, { found, made: { result, started } });
    return replied(result.message, spentOn(found.value.name, result.usage, usd), deps);
  });
}

function replied(message: AssistantMessage, spent: Spent, deps: CallDeps): Settled<ModelReply> {
  deps.listener?.onReply?.();
  return { ok: true, value: { message, spent } };
}

/** What was done before others came into it: the first model found, and maybe an attempt at it made. */
interface Beginning {
  readonly found: Settled<ResolvedModel> | Promise<Settled<ResolvedModel>>;
  readonly made?: { readonly result: AttemptResult; readonly started: number };
}

async function callInTurn(
  request: ModelRequest,
  deps: CallDeps,
  signal: StopSignal,
  first?: Beginning,
): Promise<Settled<ModelReply>> {
  const clock = deps.clock ?? Date.now;
  const sleep = deps.sleep ?? pause;
  const attempts = Math.max(1, request.maxRetries);
  const failures: { readonly model: string; readonly tries: number; readonly fault: Fault }[] = [];
  let number = 0;
  let made = first?.made;

  for (const [place, name] of request.models.entries()) {
    const found = await (place === 0 && first !== undefined ? first.found : deps.resolve(name));
    for (let tries = 1; ; tries++) {
      if (signal.aborted) return { ok: false, fault: cancelledFault(signal) };
      const started = made?.started ?? clock();
      const result: AttemptResult = found.ok
        ? (made?.result ?? (await tryOnce(found.value, request, deps, signal)))
        : { ok: false, fault: found.fault };
      made = undefined;
      const model = found.ok ? found.value.name : name;
      const spent = spentOn(model, result.usage, found.ok ? await priceOf(found.value, result) : undefined);
      if (result.ok) return replied(result.message, spent, deps);
      if (signal.aborted) return { ok: false, fault: cancelledFault(signal) };

      number += 1;
      const wait = result.retryAfterMs;
      const again = tries < attempts && isRetriable(result.fault) && (wait ?? 0) <= PATIENCE_MS;
      const following = request.models[place + 1];
      const then: NextMove = again
        ? { kind: 'retry', delayMs: backoffMs(request.session, request.turn, tries, wait) }
        : following === undefined
          ? { kind: 'give-up' }
          : { kind: 'failover', to: following };
      await deps.listener?.onAttempt?.({ number, spent, fault: result.fault, ms: clock() - started, then });
      if (then.kind !== 'retry') {
        failures.push({ model, tries, fault: result.fault });
        break;
      }
      await sleep(then.delayMs, signal);
    }
  }
  return { ok: false, fault: finalFault(failures) };
}

function tryOnce(
  found: ResolvedModel,
  request: ModelRequest,
  { stallMs = STALL_MS, clock = Date.now, listener }: CallDeps,
  signal: StopSignal,
): Promise<AttemptResult> {
  const { session, agent, turn, settings, system, messages, tools, choice, output, timeoutMs } = request;
  const { model } = found;
  const asked: ProviderRequest = { model, session, agent, turn, settings, system, messages, tools, choice, output };
  return attempt(found.provider, asked, { timeoutMs, stallMs, clock, listener }, signal);
}

/** What the provider says wins over the price list. */
const priceOf = (found: ResolvedModel, { usd, usage }: AttemptResult) => usd ?? (usage && found.cost?.(usage));

function spentOn(model: string, usage: Usage | undefined, usd: number | undefined): Spent {
  if (usage === undefined) return usd === undefined ? { model } : { model, usd };
  return usd === undefined ? { model, usage } : { model, usage, usd };
}

/** The last model's fault, with what each one said. */
function finalFault(failures: readonly { model: string; tries: number; fault: Fault }[]): Fault {
  const last = failures.at(-1);
  if (last === undefined) return { code: 'model/unknown', message: 'the request names no model.' };
  const lines = failures.map(
    ({ model, tries, fault }) => `${model}${tries > 1 ? ` (${tries} attempts)` : ''}: ${fault.message}`,
  );
  const message = failures.length === 1 ? (lines[0] ?? '') : `every model failed.\n- ${lines.join('\n- ')}`;
  return { ...last.fault, message };
}
