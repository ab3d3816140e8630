// Each session's conversation, rebuilt from the log, where every message is stored once and named afterwards.
// TRANSCRIPT-1. A request's `added` gives the order. What a reply or a tool brought is shown as soon as it is recorded,
//               and takes the place that the next request gives it.
//               A summary stands before the turns that stayed, and what it replaces is kept above it.
// TRANSCRIPT-2. An op that is asked again after a crash adds nothing a second time.
// TRANSCRIPT-3. A conversation in which nothing was said since it was last asked for is the same object.

import { present } from '../../base/text/present.ts';
import type { ModelDetail, OpEnd, RunEvent, StoredMessage } from '../../journal/event.ts';
import type {
  AgentName,
  History,
  HistoryMessage,
  ModelReply,
  Replacement,
  SessionRef,
  Trigger,
} from '../../kernel/effect.ts';
import { withFileLines } from '../../kernel/file-ref.ts';
import {
  type AssistantMessage,
  type Message,
  type ToolCall,
  type ToolMessage,
  type ToolResult,
  user,
} from '../../kernel/message.ts';
import type { OpPath } from '../../kernel/path.ts';
import { type AgentRun, Lineage } from '../lineage.ts';

export interface TranscriptEntry {
  readonly message: Message;
  readonly turn: number;
  readonly at: number;
  /** The op that brought it, or that first sent it. */
  readonly op: OpPath;
  /** It was said before the run began, which got the earlier requests and answers. */
  readonly history?: true;
  /** The model no longer sees this tool result, only its handle. */
  readonly folded?: true;
  /** A compaction took it out of the conversation. */
  readonly replaced?: true;
}

export interface Conversation {
  readonly session: SessionRef;
  readonly agent: AgentName;
  readonly trigger: Trigger['kind'];
  /** The session in whose run this one was opened, and its turn at that time. */
  readonly parent?: SessionRef;
  readonly parentTurn?: number;
  /** The latest system prompt. */
  readonly system: string;
  readonly entries: readonly TranscriptEntry[];
}

interface OpenConversation {
  readonly session: SessionRef;
  readonly place: AgentRun | undefined;
  readonly parentTurn: number | undefined;
  agent: AgentName;
  system: string;
  turn: number;
  entries: TranscriptEntry[];
  /** The entries that the model has, in its order. */
  standing: number[];
  /** Results of the latest reply's calls that no request has put in order yet, by the call's id. */
  readonly pending: Map<string, TranscriptEntry>;
  /** The conversation as last given out (TRANSCRIPT-3). */
  built?: Conversation | undefined;
}

export function transcript(events: Iterable<RunEvent>): readonly Conversation[] {
  const fold = new TranscriptFold();
  for (const event of events) fold.add(event);
  return fold.conversations();
}

export class TranscriptFold {
  readonly #runs = new Lineage();
  readonly #talks = new Map<SessionRef, OpenConversation>();
  readonly #asked = new Map<OpPath, OpenConversation>();
  readonly #called = new Map<OpPath, { readonly talk: OpenConversation; readonly call: ToolCall }>();
  readonly #replies = new Map<OpPath, AssistantMessage>();
  readonly #results = new Map<OpPath, ToolResult>();
  #history: History = [];

  /** The conversations in the order in which the sessions first spoke. */
  conversations(): readonly Conversation[] {
    return [...this.#talks.values()].map((talk) => (talk.built ??= conversationOf(talk)));
  }

  add(event: RunEvent): void {
    this.#runs.add(event);
    if (event.type === 'run-start') this.#history = event.input.history ?? [];
    if (event.type === 'op-end') this.#end(event);
    if (event.type !== 'op-start') return;
    if (event.op.kind === 'model') this.#ask(event.path, event.at, event.op);
    const session = this.#runs.above(event.path)?.session;
    const talk = session === undefined ? undefined : this.#talks.get(session);
    if (event.op.kind === 'tool' && talk !== undefined) this.#called.set(event.path, { talk, call: event.op.call });
  }

  #talkOf({ session, agent }: ModelDetail): OpenConversation {
    const known = this.#talks.get(session);
    if (known !== undefined) return known;
    const place = this.#runs.at(session);
    const parent = place?.parent && this.#talks.get(place.parent.session);
    const made: OpenConversation = {
      session,
      place,
      parentTurn: parent?.turn,
      agent,
      system: '',
      turn: 0,
      entries: [],
      standing: [],
      pending: new Map(),
    };
    this.#talks.set(session, made);
    return made;
  }

  #ask(path: OpPath, at: number, detail: ModelDetail): void {
    if (this.#asked.has(path) || detail.compact !== undefined) return; // TRANSCRIPT-2
    const talk = this.#talkOf(detail);
    const { turn } = detail;
    talk.built = undefined;
    if (detail.compacted !== undefined) compact(talk, detail.compacted, { op: path, at, turn });
    this.#asked.set(path, talk);
    if (detail.system !== undefined) talk.system = detail.system;
    talk.turn = turn;
    const { history: count = 0 } = detail;
    for (const said of count === 0 ? [] : this.#history.slice(-count))
      push(talk, { message: spoken(said), op: path, at, turn: 0, history: true });
    for (const stored of detail.added) this.#place(talk, stored, { op: path, at, turn });
    talk.pending.clear();
    for (const index of detail.folded ?? []) mark(talk, talk.standing[index], { folded: true });
  }

  /** TRANSCRIPT-1 */
  #place(talk: OpenConversation, stored: StoredMessage, sent: Omit<TranscriptEntry, 'message'>): void {
    if (!('op' in stored)) {
      push(talk, { ...sent, message: stored });
    } else if (stored.role === 'assistant') {
      const reply = this.#replies.get(stored.op);
      if (this.#asked.get(stored.op) === talk && reply !== undefined) return;
      push(talk, { ...sent, op: stored.op, message: reply ?? lostReply(stored.op) });
    } else {
      const { role, call, name, op } = stored;
      const result = this.#results.get(op) ?? lostResult(op);
      push(talk, talk.pending.get(call) ?? { ...sent, op, message: { role, call, name, result } });
    }
  }

  #end({ path, at, result }: OpEnd): void {
    if (!result.ok) return;
    const talk = this.#asked.get(path);
    if (talk !== undefined) {
      const { message } = result.value as ModelReply;
      this.#replies.set(path, message);
      talk.built = undefined;
      push(talk, { message, turn: talk.turn, at, op: path });
      return;
    }
    const made = this.#called.get(path);
    if (made === undefined) return;
    const { id, name } = made.call;
    const answer = result.value as ToolResult;
    const message: ToolMessage = { role: 'tool', call: id, name, result: answer };
    this.#results.set(path, answer);
    made.talk.built = undefined;
    made.talk.pending.set(id, { message, turn: made.talk.turn, at, op: path });
  }
}

function push(talk: OpenConversation, entry: TranscriptEntry): void {
  talk.standing.push(talk.entries.push(entry) - 1);
}

function mark(
  { entries }: OpenConversation,
  index: number | undefined,
  as: Pick<TranscriptEntry, 'folded' | 'replaced'>,
): void {
  const entry = index === undefined ? undefined : entries[index];
  if (index !== undefined && entry !== undefined) entries[index] = { ...entry, ...as };
}

/** The summary takes the place before the turns that stayed. */
function compact(
  talk: OpenConversation,
  { stays, from, text }: Replacement,
  sent: Omit<TranscriptEntry, 'message'>,
): void {
  const { standing, entries } = talk;
  const at = standing[from] ?? entries.length;
  standing.slice(0, from).forEach((index, place) => {
    if (!stays.includes(place)) mark(talk, index, { replaced: true });
  });
  entries.splice(at, 0, { ...sent, message: user(text) });
  const kept = standing.slice(from).map((index) => index + 1);
  talk.standing = [...stays.map((place) => standing[place] ?? 0), at, ...kept];
}

function conversationOf(talk: OpenConversation): Conversation {
  const { session, place, parentTurn, agent, system } = talk;
  return {
    session,
    agent,
    trigger: place?.trigger.kind ?? 'start',
    ...present({ parent: place?.parent?.session, parentTurn }),
    system,
    entries: [...talk.entries, ...inCallOrder(talk)],
  };
}

function inCallOrder({ entries, pending }: OpenConversation): readonly TranscriptEntry[] {
  const last = entries.findLast(({ message }) => message.role === 'assistant')?.message;
  const calls = new Map((last?.role === 'assistant' ? last.calls : []).map(({ id }, index) => [id, index]));
  const place = ([id]: readonly [string, TranscriptEntry]): number => calls.get(id) ?? -1;
  return [...pending].sort((left, right) => place(left) - place(right)).map(([, entry]) => entry);
}

function spoken({ role, text, files }: HistoryMessage): Message {
  if (role === 'assistant') return { role, text, calls: [] };
  return { role, text: withFileLines(text, files), ...(files && { files }) };
}

const lost = (op: OpPath): string => `[the journal holds no result of op ${op}]`;
const lostReply = (op: OpPath): AssistantMessage => ({ role: 'assistant', text: lost(op), calls: [] });
const lostResult = (op: OpPath): ToolResult => ({ status: 'error', text: lost(op) });
