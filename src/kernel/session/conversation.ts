// The state of one session: what was said, how many turns were spent, how large it has become. Owned by the session
// and changed only by it; kept as it is when a session is frozen, so that a further message continues it.

import type { OfferedTools, Replacement, Routine, TeamSeat } from '../effect.ts';
import { type FileRef, type Sight, shownTokens } from '../file-ref.ts';
import { filesWithin, type Message, type ToolResult, type UserMessage, user } from '../message.ts';
import type { Outcome } from '../outcome.ts';
import type { Circles } from './circles.ts';

/** A text that stays word for word, through later compactions too. The later one of a name counts. */
export interface LastingText {
  readonly name: string;
  /** Absent if it was replaced before; an earlier one of this name counts then. */
  readonly text?: string;
  /** Stands in its place where there is no room for it. */
  readonly brief: string;
}

export interface SessionConversation {
  readonly messages: Message[];
  /** Model turns that the session has spent so far. */
  turns: number;
  /** The most turns that the session may take. */
  maxTurns: number;
  /** The number of messages at the beginning that are the run's history. */
  history: number;
  /** Index of the first message that no request has held yet. */
  fresh: number;
  /** Earlier messages whose result was replaced by a handle since the last request. */
  folded: number[];
  /** Estimated tokens, message by message, and in all. */
  readonly sizes: number[];
  size: number;
  /** The provider's count over our estimate. */
  correction: number;
  /** The latest text that the model wrote: the partial output if the session fails. */
  lastText: string;
  /** True on the last turn: an exit that is not taken now is lost. */
  last: boolean;
  /** The handles that the session was given. read_result opens only these. Most sessions have none. */
  handles: Set<string> | undefined;
  /** The team seat that the session was opened with. */
  seat: TeamSeat | undefined;
  /** Continues the session that was opened on this conversation, with its contract, tools and limits. */
  goOn: ((text: string) => Routine<Outcome>) | undefined;
  /** The first request, and the latest one. A compaction keeps them. */
  opening?: UserMessage;
  asked?: UserMessage;
  /** The turns that were spent when a compaction was last tried. */
  compactedAt: number;
  /** The handles to all that compactions have replaced. `untold` is the latest one, while no request has told it. */
  compacted?: {
    readonly handles: readonly { readonly handle: string; readonly from: number; readonly to: number }[];
    readonly untold?: Replacement;
    /** By the tool that keeps them. */
    readonly texts: ReadonlyMap<string, readonly LastingText[]>;
  };
  /** The calls that the guard against circles has counted. Absent while there is none. */
  circles?: Circles;
  /** Its agent's eyes, where the run came with files. */
  sight?: Sight | undefined;
  /** Files stand in its messages. */
  showsFiles?: true;
  /** The tools that the world offers, if they have changed since the session began. */
  offered?: OfferedTools;
}

export type Estimate = (text: string) => number;

export const openConversation = (): SessionConversation => ({
  messages: [],
  turns: 0,
  maxTurns: 0,
  history: 0,
  fresh: 0,
  folded: [],
  sizes: [],
  size: 0,
  correction: 1,
  compactedAt: 0,
  lastText: '',
  last: false,
  handles: undefined,
  seat: undefined,
  goOn: undefined,
});

export function add(talk: SessionConversation, message: Message, estimate: Estimate): void {
  const size = sizeOf(message, estimate, talk.sight);
  if (filesWithin(message).length > 0) talk.showsFiles = true;
  talk.messages.push(message);
  talk.sizes.push(size);
  talk.size += size;
  if (message.role === 'assistant' && message.text !== '') talk.lastText = message.text;
  // The field gives a handle. The text never does: a tool may print what looks like one.
  if (message.role !== 'tool') return;
  const { handle, shown } = message.result;
  if (handle !== undefined) give(talk, handle);
  if (shown?.handle !== undefined) give(talk, shown.handle);
}

/** Lets the session read this back from now on. */
export function give(talk: SessionConversation, handle: string): void {
  talk.handles ??= new Set();
  talk.handles.add(handle);
}

export const hear = (talk: SessionConversation, text: string, estimate: Estimate): void =>
  add(talk, user(text), estimate);

/** Puts a short stand-in where a tool's result stood. The whole text stays where its handle points. */
export function fold(talk: SessionConversation, index: number, result: ToolResult, estimate: Estimate): void {
  const message = talk.messages[index];
  if (message?.role !== 'tool') return;
  const folded: Message = { ...message, result };
  const size = sizeOf(folded, estimate, talk.sight);
  talk.size += size - (talk.sizes[index] ?? 0);
  talk.sizes[index] = size;
  talk.messages[index] = folded;
  if (index < talk.fresh) talk.folded.push(index);
}

/** The request of a session: its first, or a further one. */
export function ask(talk: SessionConversation, message: UserMessage, estimate: Estimate): void {
  talk.opening ??= message;
  talk.asked = message;
  add(talk, message, estimate);
}

/** The estimate of a session whose window is not known: nothing has to fit, so nothing is measured. */
export const NO_ESTIMATE: Estimate = () => 0;

export function sizeOf(message: Message, estimate: Estimate, sight?: Sight): number {
  if (estimate === NO_ESTIMATE) return 0;
  const overhead = 4;
  switch (message.role) {
    case 'user':
      return overhead + estimate(message.text) + shownTokens(message.files, sight) + estimateBeside(message, estimate);
    case 'tool':
      return overhead + estimate(message.result.text) + (message.result.shown?.tokens ?? 0);
    case 'assistant': {
      let size = overhead + estimate(message.text);
      for (const call of message.calls)
        size += overhead + estimate(call.name) + estimate(JSON.stringify(call.arguments ?? null));
      return size;
    }
  }
}

const estimateBeside = ({ beside }: UserMessage, estimate: Estimate): number =>
  beside === undefined ? 0 : estimate(beside);

/** A message of the user with its files. */
export const userWith = (text: string, files: readonly FileRef[] | undefined, beside?: string): UserMessage =>
  files === undefined || files.length === 0
    ? user(text)
    : { role: 'user', text, files, ...(beside !== undefined && { beside }) };
