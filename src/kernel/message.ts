// The messages of a conversation. They are plain data, stored once and never changed.

import type { FileRef } from './file-ref.ts';
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
  readonly shown?: ShownFiles;
}

/** Pictures and documents that a result shows. Its text has a line for each. */
interface ShownFiles {
  readonly files: readonly FileRef[];
  /** The handle by which they can be seen again. Absent for who cannot read results back. */
  readonly handle?: string;
  /** The tokens that they take of the window of the agent's models. */
  readonly tokens: number;
}

export interface UserMessage {
  readonly role: 'user';
  readonly text: string;
  /** Pictures and documents that came with it. */
  readonly files?: readonly FileRef[];
  /** The lines of the files, where `text` is JSON and cannot hold them. */
  readonly beside?: string;
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

/** The files that stand in a message. */
export const filesWithin = (message: Message): readonly FileRef[] =>
  (message.role === 'user' ? message.files : message.role === 'tool' ? message.result.shown?.files : undefined) ??
  NO_FILES;

const NO_FILES: readonly FileRef[] = [];

export const okResult = (text: string): ToolResult => ({ status: 'ok', text });
export const errorResult = (text: string): ToolResult => ({ status: 'error', text });
