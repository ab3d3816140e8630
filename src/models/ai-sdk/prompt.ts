// A conversation of ours as the AI SDK's prompt. Pure. The same messages always give the same prompt, so that what
// a provider has cached of it stays valid.
// SENT-1. A call and its result go under one id, and no two calls under the same, whatever ids they came with.
// SENT-2. A call that cannot be sent to the provider is described in words, and so is its result.
// SENT-3. Files that a tool shows follow its results as a message of their own: not every provider takes them in a result.

import type { LanguageModelV3Message, LanguageModelV3Prompt } from '@ai-sdk/provider';
import type { FileRef } from '../../kernel/file-ref.ts';
import type { AssistantMessage, ToolCall, ToolMessage, UserMessage } from '../../kernel/message.ts';
import type { ProviderRequest } from '../provider.ts';
import type { RemoteKind } from '../settings.ts';
import { echoOf } from './echo.ts';
import { callIds, toolNames, type WireForms } from './wire-names.ts';

type UserContent = Extract<LanguageModelV3Message, { role: 'user' }>['content'];
type AssistantContent = Extract<LanguageModelV3Message, { role: 'assistant' }>['content'];
/** Marks the end of a prefix that Anthropic caches; other providers find prefixes by themselves. */
const CACHED = { anthropic: { cacheControl: { type: 'ephemeral' } } } as const;

/** The bytes of files by their digests. */
export type FileBytes = ReadonlyMap<string, Uint8Array>;

export interface PromptParts {
  readonly names?: WireForms;
  readonly bytes?: FileBytes | undefined;
}

export function promptOf(
  request: ProviderRequest,
  kind: RemoteKind,
  { names = toolNames(request, kind), bytes = new Map() }: PromptParts = {},
): LanguageModelV3Prompt {
  const prompt: LanguageModelV3Prompt = [];
  if (request.system !== '') prompt.push({ role: 'system', content: request.system });
  const talk = new GrowingPrompt(prompt, kind, names, bytes);
  for (const message of request.messages) {
    if (message.role === 'tool') talk.result(message);
    else if (message.role === 'assistant') talk.assistant(message);
    else talk.user(message);
  }
  talk.flush();
  // Two marks: after tools and system prompt, and after all that was said so far.
  if (kind === 'anthropic') for (const place of new Set([0, prompt.length - 1])) mark(prompt, place);
  return prompt;
}

/** A call of the latest reply that has no result yet. */
interface PromptCall {
  readonly call: ToolCall;
  /** Undefined where it was described in words. */
  readonly id: string | undefined;
}

/** The prompt while it grows. */
class GrowingPrompt {
  readonly #prompt: LanguageModelV3Prompt;
  readonly #kind: RemoteKind;
  readonly #names: WireForms;
  readonly #ids: WireForms;
  readonly #bytes: FileBytes;
  #calls = 0;
  #open: PromptCall[] = [];
  /** Results that are described in words. They follow the others, which must come right after their calls. */
  #words: string[] = [];
  /** Files of results, which follow them too (SENT-3). */
  #shown: UserContent = [];

  constructor(prompt: LanguageModelV3Prompt, kind: RemoteKind, names: WireForms, bytes: FileBytes) {
    this.#prompt = prompt;
    this.#kind = kind;
    this.#names = names;
    this.#ids = callIds(kind);
    this.#bytes = bytes;
  }

  user({ text, files = [], beside }: UserMessage): void {
    this.flush();
    const lines = beside === undefined ? [] : [{ type: 'text', text: beside } as const];
    this.#prompt.push({ role: 'user', content: [{ type: 'text', text }, ...lines, ...this.#parts(files)] });
  }

  #parts(files: readonly FileRef[]): UserContent {
    return files.flatMap(({ digest, type: mediaType, name: filename }): UserContent => {
      const data = this.#bytes.get(digest);
      return data === undefined ? [] : [{ type: 'file', mediaType, data, filename }];
    });
  }

  assistant(message: AssistantMessage): void {
    this.flush();
    const open = message.calls.map((call): PromptCall => {
      const sendable = isSendable(call, this.#kind);
      return { call, id: sendable ? this.#ids.sent(call.id, `${this.#calls++} ${call.id}`) : undefined }; // SENT-1
    });
    this.#open = open;
    const echo = echoOf(message, this.#kind);
    const content =
      echo === undefined
        ? plainContent(message, this.#kind, open, this.#names)
        : echoedContent(message, echo.parts, open, this.#names);
    this.#prompt.push({ role: 'assistant', content });
  }

  result({ call, name, result: { status, text, shown } }: ToolMessage): void {
    if (shown !== undefined)
      this.#shown.push({ type: 'text', text: `[What ${name} shows]` }, ...this.#parts(shown.files));
    const place = this.#open.findIndex((one) => one.call.id === call);
    const [answered] = place < 0 ? [] : this.#open.splice(place, 1);
    if (answered?.id === undefined) {
      this.#words.push(`[Result of the call of "${name}" that is described in words above]\n${text}`); // SENT-2
      return;
    }
    const result: Extract<LanguageModelV3Message, { role: 'tool' }>['content'][number] = {
      type: 'tool-result',
      toolCallId: answered.id,
      toolName: this.#names.sent(name),
      output: { type: status === 'error' ? 'error-text' : 'text', value: text },
    };
    const before = this.#prompt.at(-1);
    if (before?.role === 'tool') before.content.push(result);
    else this.#prompt.push({ role: 'tool', content: [result] });
  }

  flush(): void {
    const words = this.#words;
    this.#words = [];
    const shown = this.#shown;
    this.#shown = [];
    if (words.length + shown.length === 0) return;
    const told: UserContent = words.length === 0 ? [] : [{ type: 'text', text: words.join('\n\n') }];
    this.#prompt.push({ role: 'user', content: [...told, ...shown] });
  }
}

/** Anthropic and Google accept only objects as arguments. No provider accepts what is not JSON. */
function isSendable({ arguments: given, malformed }: ToolCall, kind: RemoteKind): boolean {
  if (malformed !== undefined) return false;
  if (kind !== 'anthropic' && kind !== 'google') return true;
  return given === undefined || given === null || (typeof given === 'object' && !Array.isArray(given));
}

function plainContent(
  message: AssistantMessage,
  kind: RemoteKind,
  calls: readonly PromptCall[],
  names: WireForms,
): AssistantContent {
  const content: AssistantContent = [];
  // Servers that show their reasoning want it back while a round of tool calls lasts.
  if (kind === 'openai-compatible' && message.reasoning && message.calls.length > 0) {
    content.push({ type: 'reasoning', text: message.reasoning });
  }
  // Anthropic refuses a text of nothing but space.
  if (kind === 'anthropic' ? message.text.trim() !== '' : message.text !== '') {
    content.push({ type: 'text', text: message.text });
  }
  for (const call of calls) content.push(callPart(call, names));
  return content;
}

function echoedContent(
  message: AssistantMessage,
  parts: NonNullable<ReturnType<typeof echoOf>>['parts'],
  calls: readonly PromptCall[],
  names: WireForms,
): AssistantContent {
  const content: AssistantContent = [];
  const read = { text: 0, reasoning: 0 };
  const rest = [...calls];
  for (const part of parts) {
    const options = part.meta === undefined ? {} : { providerOptions: part.meta };
    if (part.kind === 'call') {
      const place = rest.findIndex(({ call }) => call.id === part.id);
      for (const call of place < 0 ? [] : rest.splice(place, 1)) content.push({ ...callPart(call, names), ...options });
      continue;
    }
    const from = read[part.kind];
    read[part.kind] = from + part.chars;
    const text = (message[part.kind] ?? '').slice(from, from + part.chars);
    content.push({ type: part.kind, text, ...options });
  }
  return content;
}

function callPart({ call, id }: PromptCall, names: WireForms): AssistantContent[number] {
  const { name, arguments: given, malformed } = call;
  if (id !== undefined) {
    return { type: 'tool-call', toolCallId: id, toolName: names.sent(name), input: given ?? {} };
  }
  const written = malformed ?? JSON.stringify(given);
  const why = malformed === undefined ? 'which are not an object' : 'which are not JSON';
  return { type: 'text', text: `[Call of "${name}" with these arguments, ${why}]\n${written}` };
}

function mark(prompt: LanguageModelV3Prompt, place: number): void {
  const message = prompt[place];
  if (message !== undefined) prompt[place] = { ...message, providerOptions: CACHED };
}
