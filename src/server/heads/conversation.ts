// A conversation as a client sends it, whole with every request, and what becomes of it: instructions, the history, and
// the request that the run is for. Heads translate their protocol's messages to `ClientMessage`, and nothing else.

import { explainJsonError, readJson } from '../../base/text/json.ts';
import type { AgentDefinition } from '../../definition/definition.ts';
import { FILES_ALONE, withTexts } from '../../engine/files/input-with-files.ts';
import { type FileTaker, type InputFile, takeFiles } from '../../engine/files/take-files.ts';
import { inputFor } from '../../engine/request.ts';
import type { History, HistoryMessage, RunInput } from '../../kernel/effect.ts';
import { fail } from '../../kernel/fault.ts';
import type { FileRef } from '../../kernel/file-ref.ts';
import { readShared } from '../../patterns/spawn/shared-context.ts';

/** One message of a client, in the order in which it was sent. */
export interface ClientMessage {
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
  /** Files that came in the message itself. */
  readonly files?: readonly InputFile[] | undefined;
}

/** A message of the history, as the client sent it. */
type ClientTurn = ClientMessage & { readonly role: 'user' | 'assistant' };

export interface ClientConversation {
  /** The client's system messages, in their order. */
  readonly instructions: readonly string[];
  /** The conversation before the request. */
  readonly history: readonly ClientTurn[];
  /** The user's messages after the last answer, and the files in them. */
  readonly request: string;
  readonly files: readonly InputFile[];
}

/** The same with its files in the store: texts among them stand in the messages. */
export interface StoredConversation extends Pick<ClientConversation, 'instructions' | 'request'> {
  readonly history: History;
  readonly files: readonly FileRef[];
}

/** Throws `input/invalid` where the last message is empty or not the user's. */
export function conversationOf(messages: readonly ClientMessage[]): ClientConversation {
  const instructions: string[] = [];
  const spoken: ClientTurn[] = [];
  for (const { role, text, files = [] } of messages) {
    if (text.trim() === '' && files.length === 0) continue; // clients send empty messages beside others, and no provider takes them
    if (role === 'system') instructions.push(text);
    else if (files.length === 0) spoken.push({ role, text });
    else if (role === 'user') spoken.push({ role, text: text.trim() === '' ? FILES_ALONE : text, files });
    else fail('input/invalid', 'An answer has files in it. Only messages of the user have.');
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
  return {
    instructions,
    history: spoken.slice(0, answered + 1),
    request: asked.map(({ text }) => text).join('\n\n'),
    files: asked.flatMap(({ files = [] }) => files),
  };
}

/** Puts the files of a conversation into the store. Throws `input/invalid`. */
export async function storedConversation(
  { instructions, history, request, files }: ClientConversation,
  taker: FileTaker,
): Promise<StoredConversation> {
  const told: HistoryMessage[] = [];
  for (const { role, text, files: own } of history) {
    if (own === undefined) {
      told.push({ role, text });
      continue;
    }
    const { files: taken, texts } = await takeFiles(own, taker);
    told.push({ role, text: withTexts(text, texts), ...(taken.length > 0 && { files: taken }) });
  }
  if (files.length === 0) return { instructions, history: told, request, files: [] };
  const { files: taken, texts } = await takeFiles(files, taker);
  return { instructions, history: told, request: withTexts(request, texts), files: taken };
}

/** The key under which the agent sees a client's instructions in its shared context. */
const INSTRUCTIONS = 'instructions from the client';

/** The input of a run for this request. Throws `input/invalid` where the agent does not take it. */
export function conversationInput(
  agent: AgentDefinition,
  { instructions, request, files }: StoredConversation,
  history: History,
): RunInput {
  const input = inputFor(agent, agent.input.format === 'json' ? jsonIn(request, agent) : request);
  const shared = instructions.length === 0 ? undefined : { [INSTRUCTIONS]: instructions.join('\n\n') };
  const wrong = shared === undefined ? undefined : readShared(shared);
  if (wrong !== undefined && 'error' in wrong) {
    fail('input/invalid', `The system messages cannot be used: ${wrong.error}`);
  }
  return {
    ...input,
    ...(files.length > 0 && { files }),
    ...(history.length > 0 && { history }),
    ...(shared && { shared }),
  };
}

function jsonIn(text: string, agent: AgentDefinition): unknown {
  const read = readJson(text);
  if (!read.ok) fail('input/invalid', `${agent.name} takes JSON, and the last message ${explainJsonError(read)}.`);
  return read.value;
}
