// Tools made from functions of the host program.

import { isTooDeep, TOO_DEEP } from '../kernel/json.ts';
import type { ToolResult } from '../kernel/message.ts';
import type { JsonSchema } from '../kernel/schema.ts';
import type { Tool, ToolContext, ToolSource } from './tool.ts';
import { isToolName } from './tool-name.ts';

export interface FunctionTool<Input> {
  /** `[a-zA-Z0-9_-]`, at most 64 characters. */
  readonly name: string;
  readonly description: string;
  /** The JSON Schema of `Input`: what `run` gets has passed it. */
  readonly parameters: JsonSchema;
  /** May a call be made again when a crash left its outcome unknown? Default: never. */
  readonly repeat?: 'safe' | 'never';
  /** Its value becomes the result: text as it is, anything else as JSON. A throw becomes an error result. */
  run(input: Input, context: ToolContext): unknown;
}

export function tool<Input = unknown>(definition: FunctionTool<Input>): Tool {
  const { name, description, parameters, repeat = 'never' } = definition;
  if (!isToolName(name)) {
    throw new TypeError(`A tool cannot be named "${name}": use 1 to 64 of the letters a-z, A-Z, 0-9, "_" and "-".`);
  }
  return {
    spec: { name, description, parameters },
    repeat,
    async execute(input, context) {
      return output(name, await definition.run(input as Input, context));
    },
  };
}

/** A source of the tools that one program hands in. */
export const functionSource = (name: string, tools: readonly Tool[]): ToolSource => ({
  name,
  tools: async () => tools,
  async close() {},
});

function output(name: string, value: unknown): string | ToolResult {
  if (typeof value === 'string') return value;
  if (value === undefined) return 'done';
  if (isToolResult(value)) return value;
  if (isTooDeep(value)) throw new TypeError(`What ${name} returned ${TOO_DEEP}.`);
  const text: string | undefined = JSON.stringify(value, undefined, 2);
  if (text === undefined) throw new TypeError(`${name} returned a ${typeof value}, which cannot be shown to a model.`);
  return text;
}

/** Exactly a result: data of the program's own that happens to have a `status` stays data. */
const isToolResult = (value: unknown): value is ToolResult =>
  typeof value === 'object' &&
  value !== null &&
  'status' in value &&
  (value.status === 'ok' || value.status === 'error') &&
  'text' in value &&
  typeof value.text === 'string' &&
  Object.keys(value).length === 2;
