// Anthropic's messages as what was said. A block that is not text is refused by its name and place.

import type { JsonObject } from '../../../base/text/json.ts';
import type { OutputContract } from '../../../kernel/schema.ts';
import { usableSchema } from '../answer-schema.ts';
import type { ClientMessage } from '../conversation.ts';
import { invalid, isFields, shortValue } from '../fields.ts';

export function saidIn({ messages, system }: JsonObject): readonly ClientMessage[] {
  if (!Array.isArray(messages) || messages.length === 0) return invalid('messages', 'must be a list with messages.');
  const first: readonly ClientMessage[] =
    system === undefined || system === null ? [] : [{ role: 'system', text: textIn(system, 'system') }];
  return [...first, ...messages.map((one: unknown, index) => messageIn(one, `messages[${index}]`))];
}

function messageIn(message: unknown, at: string): ClientMessage {
  if (!isFields(message)) return invalid(at, 'must be an object.');
  const { role, content } = message;
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    return invalid(`${at}.role`, `is ${shortValue(role)}. Known are: user, assistant, system.`);
  return { role, text: textIn(content, `${at}.content`) };
}

/** The thoughts of an earlier answer are no part of the conversation. */
const LEFT_OUT: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

function textIn(content: unknown, at: string): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return invalid(at, 'must be a text, or a list of blocks.');
  const texts = content.flatMap((block: unknown, index) => {
    const place = `${at}[${index}]`;
    if (!isFields(block)) return invalid(place, 'must be an object.');
    const { type, text } = block;
    if (LEFT_OUT.has(type)) return [];
    if (type !== 'text') return invalid(place, `is of the type ${shortValue(type)}. Agents take text.`);
    return typeof text === 'string' ? [text] : invalid(`${place}.text`, 'must be a text.');
  });
  return texts.join('\n');
}

/** `output_config.format`, or `output_format`, its earlier name. Undefined: the agent's own format. */
export function contractIn(body: JsonObject): OutputContract | undefined {
  const { output_config: config, output_format: earlier } = body;
  if (config !== undefined && config !== null && !isFields(config))
    return invalid('output_config', 'must be an object.');
  const { format = earlier, ...others } = isFields(config) ? config : {};
  for (const name of Object.keys(others)) {
    invalid(
      `output_config.${name.slice(0, 80)}`,
      "cannot be honoured: the agent's file says how its models are asked.",
    );
  }
  if (format === undefined || format === null) return undefined;
  if (!isFields(format) || format['type'] !== 'json_schema')
    return invalid('output_config.format', 'must be {"type": "json_schema", "schema": …}.');
  return { format: 'json', schema: usableSchema(format['schema'], 'output_config.format.schema') };
}
