// One attempt at one model: consumes a provider's stream, watches the clock, and judges the reply. Does not retry.
// TRY-1. It settles exactly once, and immediately when aborted or out of time, even if the provider does not react.
// TRY-2. After it has settled, nothing is passed on any more.
// TRY-3. A fault brings along what had been written, as `written` among its details.
// TRY-4. A report of usage or cost that is not sane is ignored.

import { isTooDeep, readJson, TOO_DEEP } from '../base/text/json.ts';
import { deferredWatch, type Watchable } from '../kernel/deferred-watch.ts';
import { type Fault, FaultError, fault, faultOf } from '../kernel/fault.ts';
import type { AssistantMessage, ToolCall } from '../kernel/message.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { saneUsage, saneUsd, type Usage } from '../kernel/usage.ts';
import type { BytesOf, CallOptions, ModelEvent, ModelProvider, ProviderRequest, ReplyEnd } from './provider.ts';

export type Delta = Extract<ModelEvent, { type: 'text-delta' | 'reasoning-delta' | 'call-delta' }>;

export interface AttemptLimits {
  /** Limit for the whole attempt. */
  readonly timeoutMs: number;
  /** Limit between two events, once the first has arrived: a first word may take long, but a stream may not stop. */
  readonly stallMs: number;
  readonly clock: () => number;
  readonly listener?:
    | {
        onDelta?(delta: Delta): void;
        /** The fault as it may be shown: without secrets, and then cut. Nothing here cuts what a provider says. */
        told?(fault: Fault): Fault;
        /** Gives the bytes of the files in the request. */
        bytesOf?(digest: string): Promise<Uint8Array>;
      }
    | undefined;
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
  signal: StopSignal,
): Promise<AttemptResult> {
  if (signal.aborted) return Promise.resolve(stop(notBegun(cancelledFault(signal))));
  return new Promise((resolve) => new ModelAttempt(limits, signal, resolve).begin(provider, request));
}

class ModelAttempt implements CallOptions, Watchable {
  readonly #limits: AttemptLimits;
  readonly #above: StopSignal;
  readonly #resolve: (result: AttemptResult) => void;
  readonly #started: number;
  /** The time of the last event. Of those before the watch begins only that there was one. */
  #heard: number | undefined;
  #isWatched = false;
  #written = '';
  #settled = false;
  #place = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #controller: AbortController | undefined;
  #events: AsyncIterator<ModelEvent> | undefined;

  constructor(limits: AttemptLimits, above: StopSignal, resolve: (result: AttemptResult) => void) {
    this.#limits = limits;
    this.#above = above;
    this.#resolve = resolve;
    this.#started = limits.clock();
  }

  /** The provider's. Making one costs more than all the rest of an attempt on a script, which does not ask for it. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#settled) this.#controller.abort();
    }
    return this.#controller.signal;
  }

  get bytesOf(): BytesOf | undefined {
    const { listener } = this.#limits;
    return listener?.bytesOf?.bind(listener);
  }

  begin(provider: ModelProvider, request: ProviderRequest): void {
    this.#place = watching.begun(this);
    try {
      this.#events = provider.stream(request, this)[Symbol.asyncIterator]();
      this.#next();
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  /** Watches the clock and the caller (TRY-1). */
  watch(): void {
    if (this.#settled) return;
    this.#isWatched = true;
    if (this.#above.aborted) return this.handleEvent();
    this.#above.addEventListener('abort', this, { once: true });
    if (this.#heard !== undefined) this.#heard = this.#limits.clock();
    this.#look();
  }

  /** The caller has aborted. */
  handleEvent(): void {
    this.#giveUp(cancelledFault(this.#above));
  }

  #next(): void {
    (this.#events as AsyncIterator<ModelEvent>).next().then(this.#hear, this.#fail);
  }

  readonly #hear = (result: IteratorResult<ModelEvent>): void => {
    if (this.#settled) return this.#close();
    if (result.done === true) return this.#settle(this.#stop(fault('model/cut-off', ENDED_EARLY)));
    try {
      this.#take(result.value);
    } catch (thrown) {
      this.#fail(thrown);
    }
  };

  #take(event: ModelEvent): void {
    this.#heard = this.#isWatched ? this.#limits.clock() : BEFORE_THE_WATCH;
    if (event.type === 'reply-end' || event.type === 'reply-fault') {
      this.#close();
      return this.#settle(event.type === 'reply-end' ? judge(event) : troubled(event, this.#written));
    }
    if (event.type === 'text-delta') this.#written += event.text;
    this.#limits.listener?.onDelta?.(event);
    this.#next();
  }

  /** Once settled, a failure is only the provider's reaction to our own abort (TRY-2). */
  readonly #fail = (thrown: unknown): void => {
    if (!this.#settled) this.#settle(this.#stop(faultOf(thrown)));
  };

  /** One timer for both limits: when it fires too early because an event came in between, it is set again. */
  readonly #look = (): void => {
    const { clock, timeoutMs, stallMs } = this.#limits;
    const now = clock();
    if (now - this.#started >= timeoutMs) {
      return this.#giveUp(fault('model/timeout', `no complete reply within ${seconds(timeoutMs)}.`));
    }
    if (this.#heard !== undefined && now - this.#heard >= stallMs) {
      return this.#giveUp(fault('model/stalled', `the stream stopped: nothing arrived for ${seconds(stallMs)}.`));
    }
    const stallAt = (this.#heard ?? now) + stallMs;
    this.#timer = setTimeout(this.#look, Math.max(1, Math.min(this.#started + timeoutMs, stallAt) - now));
  };

  #giveUp(why: Fault): void {
    this.#settle(this.#stop(why));
    this.#controller?.abort();
  }

  #stop(why: Fault): AttemptResult {
    return stop(withWritten(why, this.#written)); // TRY-3
  }

  #settle(result: AttemptResult): void {
    this.#settled = true;
    watching.over(this, this.#place);
    if (this.#timer !== undefined) {
      clearTimeout(this.#timer);
      this.#above.removeEventListener('abort', this);
    }
    const { listener } = this.#limits;
    this.#resolve(result.ok || !listener?.told ? result : { ...result, fault: listener.told(result.fault) });
  }

  /** Lets the provider clean up. The result does not matter any more. */
  #close(): void {
    this.#events?.return?.().catch(() => {});
  }
}

const ENDED_EARLY = 'the stream ended without the end of the reply.';

const BEFORE_THE_WATCH = 0;

const watching = deferredWatch((run) => setImmediate(run));

function isDeepText(text: string | undefined): boolean {
  const read = text === undefined ? undefined : readJson(text);
  return read?.ok === false && read.why === TOO_DEEP;
}

const isDeep = (call: ToolCall): boolean => isTooDeep(call.arguments) || isDeepText(call.malformed);

const isMalformed = (call: ToolCall): boolean => call.malformed !== undefined;

/** The reason why a reply that arrived cannot be used. */
function defectOf({ text, calls }: AssistantMessage, finish: ReplyEnd['finish']): Fault | undefined {
  if (finish === 'content-filter') return fault('model/content-filter', "the provider's filter stopped the reply.");
  if (finish === 'length') {
    return fault('model/cut-off', 'the reply hit the output limit before it was complete (maxOutputTokens).');
  }
  const deep = calls.find(isDeep);
  if (deep !== undefined) return fault('model/malformed', `the JSON of the arguments of ${deep.name} ${TOO_DEEP}.`);
  const broken = calls.find(isMalformed);
  if (broken !== undefined) {
    return fault('model/malformed', `the arguments of ${broken.name} are not JSON: ${broken.malformed}`);
  }
  if (calls.length > 0 || text.trim() !== '') return undefined;
  return fault('model/empty', 'the reply held neither text nor a tool call.');
}

function judge(end: ReplyEnd): AttemptResult {
  const { message, finish } = end;
  const usage = saneUsage(end.usage); // TRY-4
  const usd = saneUsd(end.usd);
  const bad = defectOf(message, finish);
  if (bad !== undefined) return { ok: false, fault: withWritten(bad, message.text), ...costOf(usage, usd) };
  return usd === undefined && usage !== undefined
    ? { ok: true, message, usage }
    : { ok: true, message, ...costOf(usage, usd) };
}

function costOf(usage: Usage | undefined, usd: number | undefined): { readonly usage?: Usage; readonly usd?: number } {
  if (usage === undefined) return usd === undefined ? {} : { usd };
  return usd === undefined ? { usage } : { usage, usd };
}

function troubled(event: Extract<ModelEvent, { type: 'reply-fault' }>, written: string): AttemptResult {
  const wait = event.retryAfterMs === undefined ? {} : { retryAfterMs: event.retryAfterMs };
  return { ok: false, fault: withWritten(event.fault, written), ...wait, ...costOf(saneUsage(event.usage), undefined) };
}

/** TRY-3. */
const withWritten = (why: Fault, text: string): Fault =>
  text.trim() === '' ? why : { ...why, details: { ...why.details, written: text } };

const notBegun = (why: Fault): Fault => ({ ...why, details: { ...why.details, begun: false } });

const stop = (why: Fault): AttemptResult => ({ ok: false, fault: why });

/** The caller that aborted may have given a reason, as a fault or in words. */
export function cancelledFault(signal: StopSignal): Fault {
  const why: unknown = signal.reason;
  if (why instanceof FaultError) return why.fault;
  return fault('cancelled', typeof why === 'string' ? why : 'the model call was cancelled.');
}

const seconds = (ms: number): string => (ms < 1000 ? `${ms} ms` : `${Math.round(ms / 100) / 10} s`);
