// The messages of a conversation. They are plain data, stored once and never changed.

import type { JsonSchema } from './schema.ts';

export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: unknown;
  /** The raw text, if the model's arguments were not JSON; `arguments` is then null. */
  readonly malformed?: string;
}

export interface ToolResult {
  readonly status: 'ok' | 'error';
  readonly text: string;
  /** The handle by which the whole text can be read back, if it was long. */
  readonly handle?: string;
  /** The size of the whole text, where `text` is only a part of it. */
  readonly bytes?: number;
}

export interface UserMessage {
  readonly role: 'user';
  readonly text: string;
}

export interface AssistantMessage {
  readonly role: 'assistant';
  readonly text: string;
  readonly calls: readonly ToolCall[];
  readonly reasoning?: string;
  /** Opaque parts a provider wants back on the next request (signatures, reasoning items). */
  readonly echo?: unknown;
}

export interface ToolMessage {
  readonly role: 'tool';
  readonly call: string;
  readonly name: string;
  readonly result: ToolResult;
}

export type Message = UserMessage | AssistantMessage | ToolMessage;

export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly parameters: JsonSchema;
}

export const user = (text: string): UserMessage => ({ role: 'user', text });
export const okResult = (text: string): ToolResult => ({ status: 'ok', text });
export const errorResult = (text: string): ToolResult => ({ status: 'error', text });
