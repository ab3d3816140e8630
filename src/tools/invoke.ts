// One tool call, from its arguments to the result that a model sees: deadline, abort, failure and size.
// I1. Never throws for what the tool does: a throw, a deadline and a tool's own error are results.
// I2. Throws for what is not the tool's: an abort (`cancelled`, or the fault the signal carries) and a failing `keep`.
// I3. Returns within the deadline even if the tool ignores its signal; what such a tool does later reaches nobody.

import { FaultError, fault } from '../kernel/fault.ts';
import { errorResult, okResult, type ToolCall, type ToolResult } from '../kernel/message.ts';
import { capped } from './capped.ts';
import type { Tool, ToolContext, ToolOutput } from './tool.ts';
import { duration } from './words.ts';

export interface InvokeLimits {
  readonly timeoutMs: number;
  /** How many bytes of text a result may hold. */
  readonly capBytes: number;
  /** Stores a whole text and answers with the handle it can be read by. */
  keep(text: string): Promise<string>;
}

export const usualCapBytes = 32 * 1024;
/** What a timer can hold; beyond it Node would fire at once. */
const longestTimer = 2 ** 31 - 1;

export async function invoke(
  tool: Tool,
  call: ToolCall,
  context: ToolContext,
  limits: InvokeLimits,
): Promise<ToolResult> {
  if (context.signal.aborted) throw abortFault(context.signal, call.name);
  const result = await settle(tool, call, context, limits.timeoutMs);
  return capped(result, limits.capBytes, limits.keep);
}

/** A promise by hand, because every call passes here: the first of end, deadline and abort decides. */
function settle(tool: Tool, call: ToolCall, context: ToolContext, timeoutMs: number): Promise<ToolResult> {
  return new Promise((resolve, reject) => {
    const own = new CallContext(context);
    const close = (): boolean => {
      if (!own.open) return false;
      own.open = false;
      clearTimeout(timer);
      context.signal.removeEventListener('abort', onAbort);
      return true;
    };
    const onAbort = (): void => {
      if (!close()) return;
      reject(abortFault(context.signal, call.name));
      own.controller.abort(context.signal.reason);
    };
    const onDeadline = (): void => {
      if (!close()) return;
      resolve(errorResult(late(tool, call.name, timeoutMs)));
      own.controller.abort(new DOMException(`${call.name} took longer than ${timeoutMs} ms`, 'TimeoutError'));
    };
    const timer = setTimeout(onDeadline, Math.min(timeoutMs, longestTimer));
    context.signal.addEventListener('abort', onAbort, { once: true });
    execute(tool, call.arguments, own).then(
      (result) => {
        if (close()) resolve(result);
      },
      (thrown: unknown) => {
        if (close()) resolve(errorResult(messageOf(thrown)));
      },
    );
  });
}

/** What the tool sees of its call. The signal is made when asked for: it costs more than the rest of the call. */
class CallContext implements ToolContext {
  readonly controller = new AbortController();
  readonly callKey: string;
  readonly progress: (text: string) => void;
  open = true;

  constructor(outer: ToolContext) {
    this.callKey = outer.callKey;
    this.progress = (text) => {
      if (this.open) outer.progress(text);
    };
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }
}

async function execute(tool: Tool, input: unknown, context: ToolContext): Promise<ToolResult> {
  const output: ToolOutput = await tool.execute(input, context);
  return typeof output === 'string' ? okResult(output) : output;
}

function abortFault(signal: AbortSignal, name: string): FaultError {
  if (signal.reason instanceof FaultError) return signal.reason;
  return new FaultError(fault('cancelled', `The call of ${name} was cancelled.`));
}

function late(tool: Tool, name: string, timeoutMs: number): string {
  const stopped = `${name} did not answer within ${duration(timeoutMs)} and was told to stop.`;
  return tool.repeat === 'safe'
    ? `${stopped} Ask for less, or try once more.`
    : `${stopped} Whether it has done something by then is unknown: find out before you call it again.`;
}

function messageOf(thrown: unknown): string {
  const message = thrown instanceof Error ? thrown.message || thrown.name : String(thrown);
  return message === '' ? 'The tool failed and did not say why.' : message;
}
