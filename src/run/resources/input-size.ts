// The size of a request: the most tokens that it can have, before it is sent, and an estimate to check a report
// against.
// INPUT-1. A token is at least a byte of what is sent, so a text has no more tokens than bytes. Pictures and documents
//          count by the rule of their provider.
// INPUT-2. What the same model counted for the beginning of a conversation is known. Only what came after it, or
//          replaced something, is bounded by its bytes.

import { estimateTokenCount } from 'tokenx';
import type { Message, ToolSpec } from '../../kernel/message.ts';
import type { ProviderRequest } from '../../models/provider.ts';

/** The key is the conversation, which is one array that grows. */
const counted = new WeakMap<
  readonly Message[],
  {
    readonly model: string;
    readonly tokens: number;
    readonly system: string;
    readonly tools: ReadonlySet<ToolSpec>;
    readonly choice: ProviderRequest['choice'];
    readonly messages: readonly Message[];
  }
>();

export function noteInput(model: string, request: ProviderRequest, tokens: number): void {
  const { system, tools, choice, messages } = request;
  counted.set(messages, { model, tokens, system, tools: new Set(tools), choice, messages: [...messages] });
}

/** The tokens that a provider may add to the prompt so that a tool is called. */
const CHOICE_TOKENS = 512;

/** `fileTokens` counts the files of messages, by the rule of the model. */
export function mostInput(
  model: string,
  request: ProviderRequest,
  fileTokens: (messages: readonly Message[]) => number = () => 0,
): number {
  const { system, tools, choice, messages } = request;
  const whole = sizeOf(request, 'bytes') + fileTokens(messages); // INPUT-1
  const before = counted.get(messages);
  if (before?.model !== model || before.system !== system || !tools.every((tool) => before.tools.has(tool)))
    return whole;
  const added = messages.reduce(
    (sum, message, index) =>
      before.messages[index] === message ? sum : sum + sizeOfMessage(message).bytes + fileTokens([message]),
    before.tokens + (choice === before.choice ? 0 : CHOICE_TOKENS),
  );
  return Math.min(whole, added); // INPUT-2
}

export const estimatedInput = (request: ProviderRequest): number => sizeOf(request, 'tokens');

export const estimatedText = (message: Message): number => sizeOfMessage(message).tokens;

interface Size {
  /** The bytes of everything that may be sent of it, with the text around it. */
  readonly bytes: number;
  /** Estimated, of its text. */
  readonly tokens: number;
}

function sizeOf({ system, tools, messages }: ProviderRequest, unit: keyof Size): number {
  const fixed = sizeOfText(system)[unit] + measured(tools, () => sizeOfText(JSON.stringify(tools)))[unit];
  return messages.reduce((sum, message) => sum + sizeOfMessage(message)[unit], fixed);
}

/** Messages and lists of tools do not change and are sent with every turn, so they are measured once. */
const sizes = new WeakMap<object, Size>();

function measured(what: object, measure: () => Size): Size {
  const size = sizes.get(what) ?? measure();
  sizes.set(what, size);
  return size;
}

const sizeOfText = (text: string): Size => ({ bytes: Buffer.byteLength(text), tokens: estimateTokenCount(text) });

const sizeOfMessage = (message: Message): Size =>
  measured(message, () => ({
    bytes: Buffer.byteLength(JSON.stringify(message)),
    tokens: estimateTokenCount(textOf(message)),
  }));

function textOf(message: Message): string {
  if (message.role === 'user') return message.text;
  if (message.role === 'tool') return message.result.text;
  const calls = message.calls.map(({ name, arguments: given }) => `${name} ${JSON.stringify(given ?? {})}`);
  return [message.text, ...calls].join('\n');
}
