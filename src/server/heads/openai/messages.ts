// OpenAI's messages, of chat completions and of responses, as what was said. A part that is not text is refused by its
// name and place.

import type { ClientMessage } from '../conversation.ts';
import { invalid, isFields, shortValue } from '../fields.ts';

const ROLES: Readonly<Record<string, ClientMessage['role']>> = {
  system: 'system',
  developer: 'system',
  user: 'user',
  assistant: 'assistant',
};

/** The messages of a chat completion. */
export function chatMessages(messages: unknown): readonly ClientMessage[] {
  if (!Array.isArray(messages) || messages.length === 0) return invalid('messages', 'must be a list with messages.');
  return messages.map((one: unknown, index) => messageIn(one, `messages[${index}]`));
}

/** The input of a response: a text, or a list of messages. */
export function responseMessages(input: unknown, instructions: unknown): readonly ClientMessage[] {
  const first = typeof instructions === 'string' ? [{ role: 'system', text: instructions } as const] : [];
  if (instructions !== undefined && instructions !== null && typeof instructions !== 'string')
    return invalid('instructions', 'must be a text.');
  if (typeof input === 'string') return [...first, { role: 'user', text: input }];
  if (!Array.isArray(input) || input.length === 0) return invalid('input', 'must be a text, or a list with messages.');
  return [...first, ...input.flatMap((one: unknown, index) => itemIn(one, `input[${index}]`))];
}

function itemIn(item: unknown, at: string): readonly ClientMessage[] {
  if (!isFields(item)) return invalid(at, 'must be an object.');
  const { type = 'message' } = item;
  if (type === 'message') return [messageIn(item, at)];
  if (type === 'reasoning') return []; // what an earlier answer thought is no part of the conversation
  return invalid(at, `is of the type ${shortValue(type)}. Only messages can be used: ${NO_CLIENT_TOOLS}`);
}

const NO_CLIENT_TOOLS = 'an agent has its own tools, and its conversation with a client consists of text.';

function messageIn(message: unknown, at: string): ClientMessage {
  if (!isFields(message)) return invalid(at, 'must be an object.');
  const { role, content, name, tool_calls: calls, refusal } = message;
  if (role === 'tool' || role === 'function' || (Array.isArray(calls) && calls.length > 0))
    return invalid(at, `is about a tool of the client: ${NO_CLIENT_TOOLS}`);
  const known = typeof role === 'string' && Object.hasOwn(ROLES, role) ? ROLES[role] : undefined;
  if (known === undefined)
    return invalid(`${at}.role`, `is ${shortValue(role)}. Known are: ${Object.keys(ROLES).join(', ')}.`);
  const text = textIn(content ?? refusal ?? '', `${at}.content`);
  return { role: known, text: typeof name === 'string' && name !== '' ? `${name}: ${text}` : text };
}

const TEXT_PARTS: ReadonlySet<unknown> = new Set(['text', 'input_text', 'output_text', 'refusal']);

function textIn(content: unknown, at: string): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return invalid(at, 'must be a text, or a list of parts.');
  return content
    .map((part: unknown, index) => {
      const place = `${at}[${index}]`;
      if (!isFields(part)) return invalid(place, 'must be an object.');
      const { type, text, refusal } = part;
      if (!TEXT_PARTS.has(type)) return invalid(place, `is of the type ${shortValue(type)}. Agents take text.`);
      const written = type === 'refusal' ? refusal : text;
      return typeof written === 'string' ? written : invalid(`${place}.text`, 'must be a text.');
    })
    .join('\n');
}
