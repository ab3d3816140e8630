// A conversation of ours as the AI SDK's prompt. Pure. The same messages always give the same prompt, so that what
// a provider has cached of it stays valid.

import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { AssistantMessage, Message, ToolCall } from '../../kernel/message.ts';
import type { ProviderRequest } from '../provider.ts';
import type { RemoteKind } from '../settings.ts';
import { echoOf } from './echo.ts';

type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
type ToolContent = Extract<LanguageModelV3Message, { role: 'tool' }>['content'];

/** Marks the end of a prefix that Anthropic caches; other providers find prefixes by themselves. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

export function promptOf(request: ProviderRequest, kind: RemoteKind): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [];
  if (request.system !== '') prompt.push({ role: 'system', content: request.system });
  for (const message of request.messages) append(prompt, message, kind);
  // Two marks: after tools and system prompt, and after all that was said so far.
  if (kind === 'anthropic') for (const place of new Set([0, prompt.length - 1])) mark(prompt, place);
  return prompt;
}

function append(prompt: LanguageModelV3Prompt, message: Message, kind: RemoteKind): void {
  switch (message.role) {
    case 'user':
      prompt.push({ role: 'user', content: [{ type: 'text', text: message.text }] });
      return;
    case 'assistant':
      prompt.push({ role: 'assistant', content: assistantContent(message, kind) });
      return;
    case 'tool': {
      const { status, text } = message.result;
      const type = status === 'error' ? 'error-text' : 'text';
      const result: ToolContent[number] = {
        type: 'tool-result',
        toolCallId: message.call,
        toolName: message.name,
        output: { type, value: text },
      };
      const before = prompt.at(-1);
      if (before?.role === 'tool') before.content.push(result);
      else prompt.push({ role: 'tool', content: [result] });
    }
  }
}

function assistantContent(message: AssistantMessage, kind: RemoteKind): AssistantContent {
  const echo = echoOf(message, kind);
  if (echo !== undefined) return echoedContent(message, echo.parts);
  const content: AssistantContent = [];
  // Servers that think aloud want to see it again while a round of tool calls lasts.
  if (kind === 'openai-compatible' && message.reasoning && message.calls.length > 0) {
    content.push({ type: 'reasoning', text: message.reasoning });
  }
  if (message.text !== '') content.push({ type: 'text', text: message.text });
  for (const call of message.calls) content.push(callPart(call));
  return content;
}

function echoedContent(
  message: AssistantMessage,
  parts: NonNullable<ReturnType<typeof echoOf>>['parts'],
): AssistantContent {
  const content: AssistantContent = [];
  const read = { text: 0, reasoning: 0 };
  for (const part of parts) {
    const options = part.meta === undefined ? {} : { providerOptions: part.meta };
    if (part.kind === 'call') {
      const call = message.calls.find(({ id }) => id === part.id);
      if (call !== undefined) content.push({ ...callPart(call), ...options });
      continue;
    }
    const from = read[part.kind];
    read[part.kind] = from + part.chars;
    const text = (message[part.kind] ?? '').slice(from, from + part.chars);
    content.push({ type: part.kind, text, ...options });
  }
  return content;
}

const callPart = (call: ToolCall): Extract<AssistantContent[number], { type: 'tool-call' }> => ({
  type: 'tool-call',
  toolCallId: call.id,
  toolName: call.name,
  input: call.arguments ?? {},
});

function mark(prompt: LanguageModelV3Prompt, place: number): void {
  const message = prompt[place];
  if (message !== undefined) prompt[place] = { ...message, providerOptions: CACHED };
}
