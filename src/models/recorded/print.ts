// The fingerprint of a request: a digest for each part that decides the answer. The session's path is not one of them,
// so that an agent may move in the tree without losing its recording. Message digests are kept with the message,
// so that a long conversation is not hashed again each turn.

import { createHash } from 'node:crypto';
import type { Message } from '../../kernel/message.ts';
import { SUBAGENT } from '../../kernel/subagent.ts';
import { callableOnly } from '../callable-tools.ts';
import type { ProviderRequest } from '../provider.ts';

export interface Print {
  /** All parts together. */
  readonly whole: string;
  /** Digests of the parts, by name and in the order in which they are compared. */
  readonly parts: Readonly<Record<string, string>>;
  readonly messages: readonly string[];
}

/** The parts of a request that have a digest, except the messages. */
export const partsOf = (request: ProviderRequest): Readonly<Record<string, unknown>> => ({
  model: request.model,
  'system prompt': request.system,
  tools: request.tools,
  settings: [request.settings, request.choice, request.output],
});

/** The tools that may be called decide the answer, so the others are no part of it. */
export function printOf(asked: ProviderRequest): Print {
  const request = callableOnly(asked);
  const parts = Object.fromEntries(Object.entries(partsOf(request)).map(([name, part]) => [name, digest(part)]));
  const messages = request.messages.map(messageDigest);
  return { whole: digest([request.agent, parts, messages]), parts, messages };
}

const known = new WeakMap<Message, string>();

function messageDigest(message: Message): string {
  let found = known.get(message);
  if (found === undefined) {
    found = digest(timeless(message));
    known.set(message, found);
  }
  return found;
}

/** A result of the tool `subagent` says how long it took, which decides nothing and is another number each time. */
function timeless(message: Message): Message {
  if (message.role !== 'tool' || message.name !== SUBAGENT) return message;
  const { result } = message;
  return { ...message, result: { ...result, text: result.text.replace(/"duration_ms":\d+/, '"duration_ms":0') } };
}

const digest = (value: unknown): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('base64url').slice(0, 22);
