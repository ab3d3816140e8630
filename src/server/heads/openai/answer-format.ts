// The answer format that an OpenAI client asks for, as the caller's contract: `response_format` of a chat completion, and
// `text.format` of a response, whose schema stands beside its type.

import type { OutputContract } from '../../../kernel/schema.ts';
import { usableSchema } from '../answer-schema.ts';
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
