// A conversation as a client sends it, whole with every request, and what becomes of it: instructions, the history, and
// the request that the run is for. Heads translate their protocol's messages to `ClientMessage`, and nothing else.

import { explainJsonError, readJson } from '../../base/text/json.ts';
import type { AgentDefinition } from '../../definition/definition.ts';
import { inputFor } from '../../engine/request.ts';
import type { History, RunInput } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import { readShared } from '../../patterns/spawn/shared-context.ts';

/** One message of a client, in the order in which it was sent. */
export interface ClientMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
}

export interface ClientConversation {
  /** The client's system messages, in their order. */
  readonly instructions: readonly string[];
  /** The conversation before the request. */
  readonly history: History;
  /** The user's messages after the last answer. */
  readonly request: string;
}

/** Throws `input/invalid` where the last message is empty or not the user's. */
export function conversationOf(messages: readonly ClientMessage[]): ClientConversation {
  const instructions: string[] = [];
  const spoken: { readonly role: 'user' | 'assistant'; readonly text: string }[] = [];
  for (const { role, text } of messages) {
    if (text.trim() === '') continue; // clients send empty messages beside others, and no provider takes them
    if (role === 'system') instructions.push(text);
    else spoken.push({ role, text });
  }
  const answered = spoken.findLastIndex(({ role }) => role === 'assistant');
  const asked = spoken.slice(answered + 1);
  if (asked.length === 0) {
    if (messages.findLast(({ role }) => role !== 'system')?.role === 'user')
      fail('input/invalid', 'The message is empty. An agent takes a text that is not empty.');
    fail(
      'input/invalid',
      'The last message is not from the user. An agent answers requests; it does not go on with an answer.',
    );
  }
  return { instructions, history: spoken.slice(0, answered + 1), request: asked.map(({ text }) => text).join('\n\n') };
}

/** The key under which the agent sees a client's instructions in its shared context. */
const INSTRUCTIONS = 'instructions from the client';

/** The input of a run for this request. Throws `input/invalid` where the agent does not take it. */
export function conversationInput(
  agent: AgentDefinition,
  { instructions, request }: ClientConversation,
  history: History,
): RunInput {
  const input = inputFor(agent, agent.input.format === 'json' ? jsonIn(request, agent) : request);
  const shared = instructions.length === 0 ? undefined : { [INSTRUCTIONS]: instructions.join('\n\n') };
  const wrong = shared === undefined ? undefined : readShared(shared);
  if (wrong !== undefined && 'error' in wrong) {
    fail('input/invalid', `The system messages cannot be used: ${wrong.error}`);
  }
  return { ...input, ...(history.length > 0 && { history }), ...(shared && { shared }) };
}

function jsonIn(text: string, agent: AgentDefinition): unknown {
  const read = readJson(text);
  if (!read.ok) fail('input/invalid', `${agent.name} takes JSON, and the last message ${explainJsonError(read)}.`);
  return read.value;
}
