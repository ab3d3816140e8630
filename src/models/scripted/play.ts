// Turns a step into the events of a stream: the reply in words, its calls, or the fault it asks for.
// Does not choose the step, and does not wait itself: `wait` entries say where time passes.

import { type Fault, type FaultCode, fault } from '../../kernel/fault.ts';
import type { AssistantMessage, ToolCall } from '../../kernel/message.ts';
import type { Usage } from '../../kernel/usage.ts';
import { codeOfStatus } from '../http-status.ts';
import type { ModelEvent, ProviderRequest } from '../provider.ts';
import { fewPieces, inWords } from '../words.ts';
import type { ScriptedFault, ScriptedReply, ScriptStep } from './script.ts';
import { inputTokens, tokensOf } from './size.ts';
import { render, renderValue, type TemplateScope } from './template.ts';

/** `wait` without `ms`: until the call is aborted. */
export type Beat = ModelEvent | { readonly type: 'wait'; readonly ms?: number };

export function playReply(step: ScriptStep, scope: TemplateScope): readonly Beat[] {
  const { message, beats, output } = rehearsed(step, scope);
  const usage = step.usage ?? { input: inputTokens(scope.request), ...output };
  const finish = message.calls.length > 0 ? 'tool-calls' : 'stop';
  const { usd } = step;
  const end: ModelEvent =
    usd === undefined
      ? { type: 'reply-end', message, finish, usage }
      : { type: 'reply-end', message, finish, usage, usd };
  return [...beats, end];
}

/** Replies without placeholders differ only in the ids of their calls, so they are made once. */
const rehearsals = new WeakMap<
  ScriptStep,
  {
    readonly message: AssistantMessage;
    readonly beats: readonly Beat[];
    readonly output: Omit<Usage, 'input'>;
  }
>();

function rehearsed(step: ScriptStep, scope: TemplateScope) {
  const known = rehearsals.get(step);
  if (known === undefined) {
    const message = speak(step.reply ?? NOTHING, scope);
    const fresh = { message, beats: opening(step, message), output: outputTokens(message) };
    if (step.reply?.templated === false) rehearsals.set(step, fresh);
    return fresh;
  }
  if (known.message.calls.length === 0) return known;
  const calls = known.message.calls.map(({ name, arguments: given }, index) => ({
    id: callId(scope.request, index),
    name,
    arguments: given,
  }));
  const { text, reasoning } = known.message;
  const message: AssistantMessage =
    reasoning === undefined ? { role: 'assistant', text, calls } : { role: 'assistant', text, calls, reasoning };
  return { message, beats: known.beats, output: known.output };
}

export function playFault(step: ScriptStep, trouble: ScriptedFault, scope: TemplateScope): readonly Beat[] {
  const beats: Beat[] = step.delayMs > 0 ? [{ type: 'wait', ms: step.delayMs }] : [];
  const refuse = (code: FaultCode, message: string): readonly Beat[] => {
    const wait = trouble.retryAfterMs === undefined ? {} : { retryAfterMs: trouble.retryAfterMs };
    return [...beats, { type: 'reply-fault', fault: scriptedFault(step, code, trouble.message ?? message), ...wait }];
  };
  const end = (message: AssistantMessage, finish: 'stop' | 'tool-calls' | 'content-filter'): readonly Beat[] => {
    const usage = step.usage ?? estimate(scope.request, message);
    return [...beats, { type: 'reply-end', message, finish, usage }];
  };
  switch (trouble.kind) {
    case 'status':
      return refuse(codeOfStatus(trouble.status ?? 500), `the server answered ${trouble.status ?? 500}`);
    case 'rate-limit':
      return refuse('model/rate-limit', 'the server asks to slow down');
    case 'server':
      return refuse('model/server', 'the server failed');
    case 'reset':
      return refuse('model/network', 'the connection was reset');
    case 'refused-key':
      return refuse('model/refused-key', 'the server refused the key');
    case 'bad-request':
      return refuse('model/bad-request', 'the server refused the request');
    case 'hang':
      return [...beats, { type: 'wait' }];
    case 'stall':
      return [...beats, ...half(step, scope), { type: 'wait' }];
    case 'cut-off': {
      const said = half(step, scope);
      const cut = scriptedFault(step, 'model/cut-off', 'the stream ended in the middle');
      const usage = step.usage ?? estimate(scope.request, speak(step.reply ?? NOTHING, scope));
      return [...beats, ...said, { type: 'reply-fault', fault: cut, usage }];
    }
    case 'malformed':
      return end({ role: 'assistant', text: '', calls: [brokenCall(step, scope.request)] }, 'tool-calls');
    case 'empty':
      return end({ role: 'assistant', text: '', calls: [] }, 'stop');
    case 'content-filter':
      return end({ role: 'assistant', text: '', calls: [] }, 'content-filter');
  }
}

const NOTHING: ScriptedReply = { text: '', calls: [], templated: false };

function speak(reply: ScriptedReply, scope: TemplateScope): AssistantMessage {
  const calls: ToolCall[] = reply.calls.map((call, index) => ({
    id: callId(scope.request, index),
    name: call.name,
    arguments: reply.templated ? renderValue(call.arguments, scope) : call.arguments,
  }));
  const text = reply.templated ? render(reply.text, scope) : reply.text;
  if (reply.reasoning === undefined) return { role: 'assistant', text, calls };
  return {
    role: 'assistant',
    text,
    calls,
    reasoning: reply.templated ? render(reply.reasoning, scope) : reply.reasoning,
  };
}

/** Unique in its session, and the same each time the call is made. */
const callId = (request: ProviderRequest, index: number): string => `call-${request.turn}-${index + 1}`;

/** Everything before the end of a reply. */
function opening(step: ScriptStep, message: AssistantMessage): Beat[] {
  const beats: Beat[] = step.delayMs > 0 ? [{ type: 'wait', ms: step.delayMs }] : [];
  const paced = (event: ModelEvent) => {
    if (step.chunkMs > 0) beats.push({ type: 'wait', ms: step.chunkMs });
    beats.push(event);
  };
  const cut = (text: string) => (step.chunkMs > 0 ? inWords(text, 1) : fewPieces(text));
  if (message.reasoning) for (const text of cut(message.reasoning)) paced({ type: 'reasoning-delta', text });
  for (const text of cut(message.text)) paced({ type: 'text-delta', text });
  for (const { name, arguments: given } of message.calls)
    paced({ type: 'call-delta', name, text: JSON.stringify(given) });
  return beats;
}

/** The first half of what the step would say, for a stream that breaks off. */
function half(step: ScriptStep, scope: TemplateScope): readonly Beat[] {
  const { text } = speak(step.reply ?? NOTHING, scope);
  return [{ type: 'text-delta', text: text === '' ? 'Let me' : text.slice(0, Math.ceil(text.length / 2)) }];
}

function brokenCall(step: ScriptStep, request: ProviderRequest): ToolCall {
  const name = step.reply?.calls[0]?.name ?? request.tools[0]?.name ?? 'final_report';
  return { id: callId(request, 0), name, arguments: null, malformed: '{"unfinished": ' };
}

function scriptedFault(step: ScriptStep, code: FaultCode, message: string): Fault {
  return fault(code, `${message} (as scripted at ${step.file}:${step.line})`);
}

function outputTokens(message: AssistantMessage): Omit<Usage, 'input'> {
  let output = tokensOf(message.text) + tokensOf(message.reasoning ?? '');
  for (const call of message.calls) output += tokensOf(call.name) + tokensOf(JSON.stringify(call.arguments));
  return message.reasoning ? { output, reasoning: tokensOf(message.reasoning) } : { output };
}

const estimate = (request: ProviderRequest, message: AssistantMessage): Usage => ({
  input: inputTokens(request),
  ...outputTokens(message),
});
