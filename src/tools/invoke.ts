// One tool call, from its arguments to the result that a model sees: deadline, abort, failure and size.
// INVOKE-1. Never throws for what the tool does: a throw, a deadline and a tool's own error are results.
// INVOKE-2. Throws for what is not the tool's fault: an abort (`cancelled`, or the fault of the signal), a failing
//           `keep`, a rule that denies what the call leads to, and a server that wants a sign-in before it does anything.
// INVOKE-3. What a tool gives is redacted first, and only then cut and kept.
// INVOKE-4. Returns within the deadline even if the tool ignores its signal; what such a tool does later is ignored.
// INVOKE-5. While a person is asked in the middle of a call, its time stands still.

import { durationText } from '../base/text/words.ts';
import { deferredWatch, type Watchable } from '../kernel/deferred-watch.ts';
import { type Fault, FaultError, fault } from '../kernel/fault.ts';
import { errorResult, okResult, type ToolCall } from '../kernel/message.ts';
import type { RedactedText, Redactor } from '../kernel/redacted.ts';
import { signInOf } from '../kernel/sign-in.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { capText, endOfText, isShort } from './capped.ts';
import { recordablePreview } from './preview.ts';
import type { ChangeRecorder, InvokedResult, Tool, ToolContext, ToolOutput } from './tool.ts';

export interface InvokeLimits {
  readonly timeoutMs: number;
  /** The bytes of text that a result may hold. */
  readonly capBytes: number;
  /** Stores a whole text and answers with the handle it can be read by. */
  keep(text: RedactedText): Promise<string>;
}

export const usualCapBytes = 32 * 1024;
/** The longest time of a timer; beyond it Node would fire at once. */
const longestTimer = 2 ** 31 - 1;

/** The context that the caller gives the call. */
export interface InvokeContext {
  readonly signal: StopSignal;
  readonly callKey: string;
  progress(text: string): void;
  readonly redactor: Redactor;
  /** The state that the person saw who approved the call. */
  readonly basis?: string | undefined;
  readonly isTrusted?: boolean | undefined;
  readonly judges?: true | undefined;
  readonly admits?: ToolContext['admits'];
  readonly unfinished?: ToolContext['unfinished'];
  readonly changes?: ChangeRecorder | undefined;
  readonly ask?: ToolContext['ask'];
}

export async function invoke(
  tool: Tool,
  call: ToolCall,
  context: InvokeContext,
  limits: InvokeLimits,
): Promise<InvokedResult> {
  if (context.signal.aborted) throw abortFault(context.signal, call.name);
  const result = await new Promise<InvokedResult>((resolve, reject) =>
    new Invocation({ tool, call, timeoutMs: limits.timeoutMs }, context, resolve, reject).begin(),
  );
  const text = context.redactor.redact(result.text); // INVOKE-3
  if (result.judged === undefined && isShort(text, limits.capBytes))
    return text === result.text ? result : { ...result, text };
  const cap = result.judged === undefined ? capText : endOfText;
  const { files, ...told } = result;
  const capped = await cap({ ...told, text }, limits.capBytes, (whole) => limits.keep(whole));
  return files === undefined ? capped : { ...capped, files };
}

/** One call under way, which is also what the tool sees of it: the first of end, deadline and abort decides. */
class Invocation implements ToolContext, Watchable {
  readonly timeoutMs: number;
  readonly #tool: Tool;
  readonly #call: ToolCall;
  readonly #outer: InvokeContext;
  readonly #resolve: (result: InvokedResult) => void;
  readonly #reject: (thrown: FaultError) => void;
  readonly #began = performance.now();
  #controller: AbortController | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #open = true;
  #isWatched = false;
  #place = 0;
  /** The questions that wait for a person, and when the time of the call stood still for them. */
  #asking = 0;
  #stoodAt = 0;
  #stoodMs = 0;
  #stopped: { readonly reason: unknown } | undefined;

  constructor(
    { tool, call, timeoutMs }: { readonly tool: Tool; readonly call: ToolCall; readonly timeoutMs: number },
    outer: InvokeContext,
    resolve: (result: InvokedResult) => void,
    reject: (thrown: FaultError) => void,
  ) {
    this.#tool = tool;
    this.#call = call;
    this.#outer = outer;
    this.timeoutMs = timeoutMs;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  /** Made when asked for: it costs more than the rest of the call. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#stopped !== undefined) this.#controller.abort(this.#stopped.reason);
    }
    return this.#controller.signal;
  }

  get callKey(): string {
    return this.#outer.callKey;
  }

  get redactor(): Redactor {
    return this.#outer.redactor;
  }

  get basis(): string | undefined {
    return this.#outer.basis;
  }

  get isTrusted(): boolean {
    return this.#outer.isTrusted === true;
  }

  get judges(): true | undefined {
    return this.#outer.judges;
  }

  get admits(): ToolContext['admits'] {
    return this.#outer.admits;
  }

  get unfinished(): ToolContext['unfinished'] {
    return this.#outer.unfinished;
  }

  get changes(): ChangeRecorder | undefined {
    return this.#outer.changes;
  }

  get ask(): ToolContext['ask'] {
    const ask = this.#outer.ask?.bind(this.#outer);
    return ask && ((question, until) => this.standStill(() => ask(question, until)));
  }

  /** A tool may take it out of its context. */
  get progress(): ToolContext['progress'] {
    return (text) => {
      if (this.#open) this.#outer.progress(text);
    };
  }

  begin(): void {
    this.#place = watching.begun(this);
    execute(this.#tool, this.#call.arguments, this).then(
      (result) => {
        if (this.#close()) this.#resolve(result);
      },
      (thrown: unknown) => {
        if (!this.#close()) return;
        if (thrown instanceof FaultError && isForCaller(thrown.fault)) this.#reject(thrown);
        else this.#resolve(errorResult(messageOf(thrown)));
      },
    );
  }

  watch(): void {
    if (!this.#open) return;
    if (this.#outer.signal.aborted) return this.handleEvent();
    this.#isWatched = true;
    this.#outer.signal.addEventListener('abort', this, { once: true });
    if (this.#asking === 0) this.#wait();
  }

  #wait(): void {
    const left = Math.max(0, this.timeoutMs - (performance.now() - this.#began - this.#stoodMs));
    this.#timer = setTimeout(() => this.#expire(), Math.min(left, longestTimer));
  }

  /** INVOKE-5 */
  async standStill<Value>(asking: () => Promise<Value>): Promise<Value> {
    if (this.#asking++ === 0) {
      this.#stoodAt = performance.now();
      clearTimeout(this.#timer);
    }
    try {
      return await asking();
    } finally {
      if (--this.#asking === 0) {
        this.#stoodMs += performance.now() - this.#stoodAt;
        if (this.#open && this.#isWatched) this.#wait();
      }
    }
  }

  /** Aborted from above. */
  handleEvent(): void {
    const { signal } = this.#outer;
    if (!this.#close()) return;
    this.#reject(abortFault(signal, this.#call.name));
    this.#stop(signal.reason);
  }

  #expire(): void {
    const { name } = this.#call;
    if (!this.#close()) return;
    this.#resolve(errorResult(late(this.#tool, name, this.timeoutMs)));
    this.#stop(new DOMException(`${name} took longer than ${this.timeoutMs} ms`, 'TimeoutError'));
  }

  #stop(reason: unknown): void {
    this.#stopped = { reason };
    this.#controller?.abort(reason);
  }

  #close(): boolean {
    if (!this.#open) return false;
    this.#open = false;
    watching.over(this, this.#place);
    if (this.#isWatched) {
      clearTimeout(this.#timer);
      this.#outer.signal.removeEventListener('abort', this);
    }
    return true;
  }
}

const watching = deferredWatch((run) => setImmediate(run));

async function execute(tool: Tool, input: unknown, context: ToolContext): Promise<InvokedResult> {
  const output: ToolOutput = await tool.execute(input, context);
  if (typeof output === 'string') return okResult(output);
  if ('asks' in output) {
    const asks = recordablePreview(output.asks, context.redactor);
    return { ...okResult(WAITS), asks, judgedAs: output.judgedAs };
  }
  // Only these: a handle says what the session may read, so a tool cannot give one.
  const { status, text, judged, files } = output;
  if (judged === undefined && files === undefined) return { status, text };
  return { status, text, ...(context.judges && judged && { judged }), ...(files && { files }) };
}

/** A rule denies what the call leads to, or the server wants a sign-in first (INVOKE-2). */
const isForCaller = (why: Fault): boolean => why.code === 'tool/denied' || signInOf(why) !== undefined;

/** The record holds this text. The model gets the result of the answer. */
const WAITS = 'A person is asked before the call goes on.';

function abortFault(signal: StopSignal, name: string): FaultError {
  if (signal.reason instanceof FaultError) return signal.reason;
  return new FaultError(fault('cancelled', `The call of ${name} was cancelled.`));
}

function late(tool: Tool, name: string, timeoutMs: number): string {
  const stopped = `${name} did not answer within ${durationText(timeoutMs)} and was told to stop.`;
  return tool.repeat === 'safe'
    ? `${stopped} Ask for less, or try once more.`
    : `${stopped} Whether it did something by then is unknown: find out before you call it again.`;
}

function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  return message === '' ? 'The tool failed and did not say why.' : message;
}
