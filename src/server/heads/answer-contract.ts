// The contract of an answer that a client asks for: a JSON Schema, or a tool of the client that the answer must call. Clients
// ask for structured output by such a tool, so the answer of the run is the arguments of the call. Other tools of a client are
// refused, because an agent has its own.

import type { JsonSchema, OutputContract } from '../../kernel/schema.ts';
import { inputSchemaProblems } from '../../tools/json-schema.ts';
import { invalid, isFields } from './fields.ts';

/** A JSON Schema that a client wants the answer to satisfy. It is checked before anything is spent. */
export function usableSchema(schema: unknown, at: string): JsonSchema {
  if (!isFields(schema)) return invalid(at, 'must be a JSON Schema, which is an object.');
  const problems = inputSchemaProblems(schema);
  if (problems.length === 0) return schema;
  const listed = problems.map(({ path, message }) => `${path} ${message}`).join('; ');
  return invalid(at, `is not a JSON Schema that can be used: ${listed}`);
}

export interface ForcedTool {
  readonly name: string;
  readonly schema: JsonSchema;
}

const NO_CLIENT_TOOLS =
  'an agent has the tools that its file names, and no others. A single tool that must be called is taken as the form of the answer.';

export function forcedTool({
  only,
  count,
  forced,
}: {
  /** The one tool, if there is only one: its name and its schema. */
  readonly only: { readonly name: unknown; readonly schema: unknown } | undefined;
  readonly count: number;
  /** The name of the tool that must be called, `any`, or undefined if none must be. */
  readonly forced: string | undefined;
}): ForcedTool | undefined {
  if (count === 0) return forced === undefined ? undefined : invalid('tool_choice', 'names a tool that is not there.');
  const isForced = forced === 'any' || (forced !== undefined && forced === only?.name);
  if (only === undefined || !isForced || typeof only.name !== 'string')
    return invalid('tools', `cannot be honoured: ${NO_CLIENT_TOOLS}`);
  return { name: only.name, schema: usableSchema(only.schema ?? { type: 'object' }, 'tools[0]') };
}

/** A forced tool and a format are two contracts for one answer. */
export function contractWith(
  tool: ForcedTool | undefined,
  format: OutputContract | undefined,
): OutputContract | undefined {
  if (tool === undefined) return format;
  if (format !== undefined) return invalid('tools', 'and a format of the answer are two contracts. Send one of them.');
  return { format: 'json', schema: tool.schema };
}
