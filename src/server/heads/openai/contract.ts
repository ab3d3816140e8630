// The contract of the answer that an OpenAI client asks for: `response_format` of a chat completion, `text.format` of a
// response, whose schema stands beside its type, or the function that a chat completion must call.

import type { OutputContract } from '../../../kernel/schema.ts';
import { type ForcedTool, forcedTool, usableSchema } from '../answer-contract.ts';
import { invalid, isFields, shortValue } from '../fields.ts';
import type { ChatRequest, ResponsesRequest } from './parameters.ts';

/** Undefined: the agent's own format. */
export function chatFormat({ response_format: format }: ChatRequest): OutputContract | undefined {
  const schema = format?.type === 'json_schema' ? format.json_schema?.schema : undefined;
  return contractOf(format?.type, schema, 'response_format.schema');
}

export const responseFormat = ({ text }: ResponsesRequest): OutputContract | undefined =>
  contractOf(text?.format?.type, text?.format?.['schema'], 'text.format.schema');

function contractOf(
  type: 'text' | 'json_object' | 'json_schema' | undefined,
  schema: unknown,
  at: string,
): OutputContract | undefined {
  if (type === 'json_object') return { format: 'json' };
  return type === 'json_schema' ? { format: 'json', schema: usableSchema(schema, at) } : undefined;
}

/** The function, if the client offers it alone and forces it. */
export function forcedFunction({ tools, tool_choice: choice }: ChatRequest): ForcedTool | undefined {
  const [first, ...others] = tools ?? [];
  const given = first?.type === 'function' ? first.function : undefined;
  const only = given && others.length === 0 ? { name: given.name, schema: given.parameters } : undefined;
  return forcedTool({ only, count: tools?.length ?? 0, forced: forcedIn(choice) });
}

function forcedIn(choice: unknown): string | undefined {
  if (choice === undefined || choice === null || choice === 'auto' || choice === 'none') return undefined;
  if (choice === 'required') return 'any';
  const named = isFields(choice) && isFields(choice['function']) ? choice['function']['name'] : undefined;
  return typeof named === 'string' ? named : invalid('tool_choice', `is ${shortValue(choice)}, which is not known.`);
}
