// Performs one model call: up to `maxRetries` attempts at each of the request's models, in order of preference.
// FAILOVER-1. A fault that is retriable by the fault table is retried after a pause; any other ends that model.
// FAILOVER-2. Every failed attempt is reported once, with what it cost and what happens next, before that happens.
// FAILOVER-3. An abort ends it at once, in a pause too, and is neither retried nor reported as an attempt. What a
//             budget counted for the attempt that it ended is in the fault, so that it is recorded.
// FAILOVER-4. A model that cannot see the files of a request is not asked while another of the list can.

import type { ModelReply, ModelRequest, SettledResult } from '../kernel/effect.ts';
import { type Fault, isRetriable } from '../kernel/fault.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { type CallSpend, type Count, countOf, type Usage } from '../kernel/usage.ts';
import { type AttemptLimits, type AttemptResult, attempt, cancelledFault, type Delta } from './attempt.ts';
import { backoffMs, PATIENCE_MS } from './backoff.ts';
import { Failures } from './failures.ts';
import type { Gate, GatedModel } from './gate.ts';
import { pause } from './pause.ts';
import type { ModelProvider, ProviderRequest, ResolvedModel } from './provider.ts';
import { blindModels, seenMessages } from './shown-files.ts';

const STALL_MS = 60_000;

type NextMove =
  | { readonly kind: 'retry'; readonly delayMs: number }
  | { readonly kind: 'failover'; readonly to: string }
  | { readonly kind: 'give-up' };

export interface FailedAttempt {
  /** Counted over the whole call, from 1. */
  readonly number: number;
  readonly spent: CallSpend;
  readonly fault: Fault;
  readonly ms: number;
  readonly then: NextMove;
}

/** A listener follows a call. */
export interface CallListener {
  onDelta?(delta: Delta): void;
  /** A fault of a provider as it may be shown: without secrets, and then cut. */
  told?(fault: Fault): Fault;
  onAttempt?(failed: FailedAttempt): void | Promise<void>;
  /** The reply is whole. */
  onReply?(): void;
  /** Gives the bytes of a file that stands in the request. */
  bytesOf?(digest: string): Promise<Uint8Array>;
}

export interface CallDeps {
  resolve(model: string): SettledResult<GatedModel> | Promise<SettledResult<GatedModel>>;
  readonly listener?: CallListener;
  /** Milliseconds. Default: Date.now. */
  readonly clock?: () => number;
  /** Ends early, without an error, when the signal is aborted. */
  readonly sleep?: (ms: number, signal: StopSignal) => Promise<void>;
  /** Default: a minute. */
  readonly stallMs?: number;
}

/** The end of an attempt. */
type Tried = AttemptResult & {
  /** The time at which it began, if it had to wait before that. */
  readonly started?: number;
  /** The amount that a budget counts for it. */
  readonly counted?: Count | undefined;
};

export async function callModel(
  request: ModelRequest,
  deps: CallDeps,
  signal: StopSignal,
): Promise<SettledResult<ModelReply>> {
  const clock = deps.clock ?? Date.now;
  const sleep = deps.sleep ?? pause;
  const attempts = Math.max(1, request.maxRetries);
  const failures = new Failures();
  let number = 0;

  const passedOver = request.showsFiles === true ? await blind(request, deps) : NOBODY; // FAILOVER-4
  const models = passedOver.length === 0 ? request.models : request.models.filter((name) => !passedOver.includes(name));
  const told = passedOver.length === 0 ? undefined : { passedOver };

  for (let place = 0; place < models.length; place++) {
    const name = models[place] as string;
    const finding = deps.resolve(name);
    const found = finding instanceof Promise ? await finding : finding;
    for (let tries = 1; ; tries++) {
      if (signal.aborted) return { ok: false, fault: failures.cancelled(cancelledFault(signal)) };
      const began = clock();
      const result: Tried = found.ok ? await tryThrough(found.value, request, deps, signal) : found;
      const { counted, started = began } = result;
      const model = found.ok ? found.value.name : name;
      const usd = found.ok ? priceOf(found.value, result) : undefined;
      const spent = spentOn(model, result, usd, counted);
      if (result.ok) {
        deps.listener?.onReply?.();
        return {
          ok: true,
          value: told ? { message: result.message, spent, ...told } : { message: result.message, spent },
        };
      }
      failures.add(model, result.fault, spent);
      if (signal.aborted) return { ok: false, fault: failures.cancelled(cancelledFault(signal), counted) };

      number += 1;
      const wait = result.retryAfterMs;
      const again = tries < attempts && isRetriable(result.fault) && (wait ?? 0) <= PATIENCE_MS;
      const following = models[place + 1];
      const then: NextMove = again
        ? { kind: 'retry', delayMs: backoffMs(request.session, request.turn, tries, wait) }
        : following === undefined
          ? { kind: 'give-up' }
          : { kind: 'failover', to: following };
      await deps.listener?.onAttempt?.({ number, spent, fault: result.fault, ms: clock() - started, then });
      if (then.kind !== 'retry') break;
      await sleep(then.delayMs, signal);
    }
  }
  const failed = failures.final();
  return { ok: false, fault: told ? { ...failed, details: { ...failed.details, ...told } } : failed };
}

const NOBODY: readonly string[] = [];

async function blind(request: ModelRequest, deps: CallDeps): Promise<readonly string[]> {
  const found = new Map<string, ResolvedModel>();
  for (const name of request.models) {
    const resolved = await deps.resolve(name);
    if (resolved.ok) found.set(name, resolved.value);
  }
  const usable = request.models.filter((name) => found.has(name));
  return blindModels({ messages: request.messages, models: usable }, (name) => found.get(name)?.sight);
}

function tryThrough(model: GatedModel, request: ModelRequest, deps: CallDeps, signal: StopSignal): Promise<Tried> {
  const plain = asked(model, request);
  const limits = limitsOf(request, deps);
  const { provider, gate } = model;
  return gate === undefined
    ? attempt(provider, plain, limits, signal)
    : tryGated(gate, provider, { plain, limits }, signal);
}

async function tryGated(
  gate: Gate,
  provider: ModelProvider,
  { plain, limits }: { readonly plain: ProviderRequest; readonly limits: AttemptLimits },
  signal: StopSignal,
): Promise<Tried> {
  const pass = await gate.enter(plain, signal);
  const started = limits.clock();
  if ('code' in pass) return { ok: false, fault: pass, started };
  const result = await attempt(provider, pass.request, limits, signal);
  return { ...result, started, counted: await pass.leave(result) };
}

function asked({ model, sight }: ResolvedModel, request: ModelRequest): ProviderRequest {
  const { session, agent, turn, settings, system, history, tools, callable, choice, output, compact } = request;
  const messages = request.showsFiles === true ? seenMessages(request.messages, sight) : request.messages;
  const asked = { model, session, agent, turn, settings, system, messages, tools, choice, output };
  if (history === undefined && callable === undefined && compact === undefined) return asked;
  return { ...asked, ...(history && { history }), ...(callable && { callable }), ...(compact && { compact }) };
}

const limitsOf = (
  { timeoutMs }: ModelRequest,
  { stallMs = STALL_MS, clock = Date.now, listener }: CallDeps,
): AttemptLimits => ({ timeoutMs, stallMs, clock, listener });

/** The provider's own price wins over the price list. */
const priceOf = (found: ResolvedModel, { usd, usage }: AttemptResult) => usd ?? (usage && found.cost?.(usage));

/** Written out, because it is made for every call: an object built by spreading costs much more. */
function reportedBy(model: string, usage: Usage | undefined, usd: number | undefined): CallSpend {
  if (usage === undefined) return usd === undefined ? { model } : { model, usd };
  return usd === undefined ? { model, usage } : { model, usage, usd };
}

function spentOn(model: string, { usage }: AttemptResult, usd: number | undefined, counted?: Count): CallSpend {
  const reported = reportedBy(model, usage, usd);
  if (counted === undefined) return reported;
  const { tokens, usd: counts } = countOf(reported);
  return tokens === counted.tokens && (counts ?? 0) === (counted.usd ?? 0) ? reported : { ...reported, counted };
}
