// The usage that a scripted reply reports when its step gives none: four characters a token. Rough, but the same
// every time, and cheap however long the conversation is.

import { fileTokens } from '../../kernel/file-ref.ts';
import { filesWithin, type Message, type ToolSpec } from '../../kernel/message.ts';
import type { ProviderRequest } from '../provider.ts';

const CALL_TOKENS = 16;

export const tokensOf = (text: string): number => Math.ceil(text.length / 4);

export function inputTokens(request: ProviderRequest): number {
  let tokens = tokensOf(request.system) + toolTokens(request.tools);
  for (const message of request.messages) tokens += messageTokens(message);
  return tokens;
}

function messageTokens(message: Message): number {
  if (message.role === 'tool') return tokensOf(message.result.text) + fileTokensOf(message);
  if (message.role === 'user') return tokensOf(message.text) + fileTokensOf(message);
  return tokensOf(message.text) + message.calls.length * CALL_TOKENS;
}

const fileTokensOf = (message: Message): number =>
  filesWithin(message).reduce((sum, file) => sum + fileTokens(file), 0);

/** A session offers the same list every turn, so it is measured once. */
const measured = new WeakMap<readonly ToolSpec[], number>();

function toolTokens(tools: readonly ToolSpec[]): number {
  let tokens = measured.get(tools);
  if (tokens === undefined) {
    tokens = tools.length === 0 ? 0 : tokensOf(JSON.stringify(tools));
    measured.set(tools, tokens);
  }
  return tokens;
}
