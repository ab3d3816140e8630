// The answer format that an OpenAI client asks for, as the caller's contract: `response_format` of a chat completion, and
// `text.format` of a response.

import type { JsonObject } from '../../../base/text/json.ts';
import type { OutputContract } from '../../../kernel/schema.ts';
import { usableSchema } from '../answer-schema.ts';
import { invalid, isFields } from '../fields.ts';

/** `response_format`. Undefined: the agent's own format. */
export function chatFormat(format: unknown): OutputContract | undefined {
  return contractIn(format, 'response_format', (given) => given['json_schema']);
}

/** `text.format`, whose schema stands beside its type. */
export function responseFormat(text: unknown): OutputContract | undefined {
  if (text === undefined || text === null) return undefined;
  if (!isFields(text)) return invalid('text', 'must be an object.');
  const { format, verbosity = 'medium' } = text;
  if (verbosity !== 'medium' && verbosity !== null)
    return invalid('text.verbosity', "cannot be honoured: the agent's file says how its models are asked.");
  return contractIn(format, 'text.format', (given) => given);
}

function contractIn(format: unknown, at: string, holder: (given: JsonObject) => unknown): OutputContract | undefined {
  if (format === undefined || format === null) return undefined;
  if (!isFields(format)) return invalid(at, 'must be an object.');
  switch (format['type']) {
    case 'text':
      return undefined;
    case 'json_object':
      return { format: 'json' };
    case 'json_schema': {
      const held = holder(format);
      return { format: 'json', schema: usableSchema(isFields(held) ? held['schema'] : undefined, `${at}.schema`) };
    }
    default:
      return invalid(`${at}.type`, 'is not one of: text, json_object, json_schema.');
  }
}
