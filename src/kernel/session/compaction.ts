// Compaction: where the window is full, one model call sums up what was said, and the session goes on with its request,
// the summary and its last turns.
// COMPACT-1. A turn is never cut apart, and at least `keep` turns lie between two compactions, failed ones included.
// COMPACT-2. Whatever is wrong with the summary, the session goes on as it would without it: it takes its final turn.
// COMPACT-3. What no model may forget is listed by the runtime, below the summary.
// COMPACT-4. Results that fold last do so only where no compaction made room; their texts outlast it.

import { answerTo, type CompactedTurns, type Mail, type ModelRequest, type Routine } from '../effect.ts';
import { type AssistantMessage, type Message, type UserMessage, user } from '../message.ts';
import type { OutputContract } from '../schema.ts';
import type { CompactRules } from './compact-rules.ts';
import { makeSomeRoom, roomFor } from './context.ts';
import { give, type LastingText, type SessionConversation, sizeOf } from './conversation.ts';
import { FINAL_REPORT, finalReport } from './final-report.ts';
import type { WorkSummary } from './notices.ts';
import * as notices from './notices.ts';
import { offerReader, type SessionState } from './session-state.ts';

const LIST = { type: 'array', items: { type: 'string' } };

const SUMMARY: OutputContract = {
  format: 'json',
  schema: {
    type: 'object',
    properties: {
      goal: { type: 'string', minLength: 1, description: 'What the work is to achieve.' },
      decisions: { ...LIST, description: 'What was decided, and why.' },
      facts: { ...LIST, description: 'What was found out: names, numbers, ids, exact words.' },
      open: { ...LIST, description: 'What is still to be done, or to be found out.' },
      files: { ...LIST, description: 'Files that were read or changed, and what about them matters.' },
    },
    required: ['goal', 'decisions', 'facts', 'open', 'files'],
    additionalProperties: false,
  },
};

/** Compacts the conversation if what arrived would not fit. Answers the reason for which work is to stop by then. */
export function* compactIfFull(state: SessionState, mail: Mail): Routine<string | undefined> {
  const { talk, spec, window, services } = state;
  const rules = spec.compact;
  if (rules === undefined || mail.stop !== undefined) return mail.stop;
  const coming = arriving(state, mail);
  if (makeSomeRoom(talk, window, services.estimate, coming)) return undefined; // COMPACT-4
  if (talk.turns - talk.compactedAt < rules.keep) return undefined; // COMPACT-1
  const cut = cutOf(talk, rules.keep);
  if (cut === undefined || !leavesRoom(state, cut, coming)) return undefined;
  talk.compactedAt = talk.turns;
  const reply = answerTo<'model'>(yield { kind: 'model', request: summaryRequest(state, cut, rules) });
  if (reply.ok) {
    const summary = summaryIn(reply.value.message, state);
    const { handle } = reply.value;
    if (summary !== undefined && handle !== undefined) yield* replace(state, cut, { summary, handle, rules, coming });
  }
  const since = answerTo<'take'>(yield { kind: 'take', inbox: { ...state.box, only: 'stop' } });
  return since.ok ? since.value.stop : undefined;
}

/** The size of what arrived, as it will stand in the conversation. */
function arriving({ services, input }: SessionState, { messages, broadcasts }: Mail): number {
  if (messages.length === 0 && broadcasts === undefined) return 0;
  const texts = messages.map(({ text }) => text);
  if (broadcasts !== undefined) texts.push(...(input.inject?.(broadcasts) ?? []));
  return texts.length === 0 ? 0 : sizeOf(user(texts.join('\n\n')), services.estimate);
}

/** The place where a conversation is cut. */
interface ReplacedPart {
  /** Messages before it that stay: the request, and the latest one of a session that was asked again. */
  readonly stays: readonly number[];
  /** The first message of the turns that stay. */
  readonly from: number;
  readonly turns: CompactedTurns;
}

/** COMPACT-1. Undefined if there is nothing to replace. */
function cutOf(talk: SessionConversation, keep: number): ReplacedPart | undefined {
  const { messages, opening, asked } = talk;
  const replies = messages.flatMap(({ role }, index) => (role === 'assistant' && index >= talk.history ? [index] : []));
  const left = Math.max(0, replies.length - keep);
  let from = replies[left] ?? messages.length;
  while (from > talk.history && messages[from - 1]?.role === 'user') from--; // what arrived before a turn belongs to it
  const stays = messages.flatMap((message, index) =>
    index < from && (message === opening || message === asked) ? [index] : [],
  );
  const first = talk.turns - replies.length + 1;
  const turns = { from: first, to: first + left - 1, messages: from - stays.length, keep };
  return turns.messages > 0 ? { stays, from, turns } : undefined;
}

/** Tokens below which no summary says anything. */
const SHORTEST_SUMMARY = 100;

/** True if there is room for a summary. */
const leavesRoom = (state: SessionState, cut: ReplacedPart, coming: number): boolean =>
  roomBeside(state, cut, coming) >= SHORTEST_SUMMARY;

/** The tokens that the request, the turns that stay and what arrived leave. */
function roomBeside({ talk, window }: SessionState, { stays, from }: ReplacedPart, coming: number): number {
  const kept = talk.sizes.slice(from).reduce((sum, size) => sum + size, 0);
  const asked = stays.reduce((sum, index) => sum + (talk.sizes[index] ?? 0), 0);
  return roomFor(talk, window) - kept - asked - coming;
}

function summaryRequest(state: SessionState, cut: ReplacedPart, rules: CompactRules): ModelRequest {
  const { talk, spec, window, services } = state;
  const { agent, settings, maxRetries, modelTimeoutMs } = spec;
  return {
    session: state.input.self,
    agent,
    turn: talk.turns,
    models: rules.models ?? spec.models,
    settings: { ...settings, maxOutputTokens: settings.maxOutputTokens ?? window.reserve },
    system: notices.SUM_UP,
    messages: [user(notices.toBeSummedUp(replacedText(talk, cut)))],
    fresh: 0,
    folded: [],
    tools: [finalReport(agent, SUMMARY, services.check).spec],
    choice: 'required',
    output: SUMMARY,
    maxRetries,
    timeoutMs: modelTimeoutMs,
    compact: cut.turns,
  };
}

/** The messages that are replaced, as text: any model can read it, and it opens with no reply. */
function replacedText({ messages, history }: SessionConversation, { stays, from, turns }: ReplacedPart): string {
  let turn = turns.from - 1;
  return messages
    .slice(0, from)
    .flatMap((message, index) => {
      if (message.role === 'assistant' && index >= history) turn++;
      if (stays.includes(index)) return [];
      return linesOf(message, index < history ? 'earlier' : `turn ${Math.max(turn, 0)}`);
    })
    .join('\n\n');
}

function linesOf(message: Message, when: string): readonly string[] {
  switch (message.role) {
    case 'user':
      return [entry(`[${when}] you were told:`, message.text)];
    case 'tool':
      return [
        entry(
          `[${when}] ${message.name} answered${message.result.status === 'error' ? ' with an error' : ''}:`,
          message.result.text,
        ),
      ];
    case 'assistant': {
      const calls = message.calls.map(({ name, arguments: given, malformed }) =>
        entry(`[${when}] you called ${name}:`, malformed ?? JSON.stringify(given ?? null)),
      );
      return message.text === '' ? calls : [entry(`[${when}] you said:`, message.text), ...calls];
    }
  }
}

/** No line of what was said looks like the beginning of another entry. */
const entry = (head: string, text: string): string => `${head}\n${text.replace(/^(?=\[(?:turn \d|earlier))/gm, '\\')}`;

/** COMPACT-2. Undefined if the reply is anything but one summary. */
function summaryIn(message: AssistantMessage, { spec, services }: SessionState): WorkSummary | undefined {
  const [call, second] = message.calls;
  if (second !== undefined) return undefined;
  const given =
    call === undefined
      ? finalReport(spec.agent, SUMMARY, services.check).fromText?.(message.text)
      : call.name === FINAL_REPORT && call.malformed === undefined
        ? call.arguments
        : undefined;
  if (given === undefined || services.check(SUMMARY.schema ?? false, given).length > 0) return undefined;
  return given as WorkSummary;
}

interface Told {
  readonly summary: WorkSummary;
  readonly handle: string;
  readonly rules: CompactRules;
  readonly coming: number;
}

/** Puts the summary in place of what was said before the cut. */
function* replace(state: SessionState, cut: ReplacedPart, { summary, handle, rules, coming }: Told): Routine<void> {
  const { talk, services } = state;
  const { stays, from, turns } = cut;
  const replaced = talk.messages.slice(0, from).filter((_, index) => !stays.includes(index));
  give(talk, handle);
  const handles = [...(talk.compacted?.handles ?? []), { handle, from: Math.max(1, turns.from), to: turns.to }];
  const parts = [notices.workSoFar(summary, turns, rules.quote)];
  const texts = new Map(talk.compacted?.texts);
  // Half of the room is left to the turns that follow.
  let room = (roomBeside(state, cut, coming) - services.estimate(parts.join(''))) / 2;
  for (const [name, tool] of state.byName) {
    const lasting = tool.lasting === undefined ? undefined : yield* tool.lasting(replaced);
    if (lasting === undefined) continue;
    const kept = latestOf([...(texts.get(name) ?? []), ...(lasting.texts ?? [])]);
    if (kept.length > 0) texts.set(name, kept);
    const lines = kept.toReversed().map(({ text, brief }) => {
      if (text === undefined) return brief;
      const line = notices.quotedItem(text, rules.quote);
      const size = services.estimate(line);
      if (size > room) return brief;
      room -= size;
      return line;
    });
    if (lasting.lines.length + lines.length > 0)
      parts.push(notices.lastingPart(lasting.heading, [...lasting.lines, ...lines]));
  }
  parts.push(notices.allReplaced(handles));
  const told: UserMessage = user(parts.join('\n\n'));
  const { messages, sizes, folded } = talk;
  const moved = stays.length + 1 - from;
  const kept = [...stays.map((index) => messages[index] as Message), told, ...messages.slice(from)];
  const keptSizes = [
    ...stays.map((index) => sizes[index] as number),
    sizeOf(told, services.estimate),
    ...sizes.slice(from),
  ];
  messages.splice(0, messages.length, ...kept);
  sizes.splice(0, sizes.length, ...keptSizes);
  talk.size = keptSizes.reduce((sum, size) => sum + size, 0);
  talk.fresh += moved;
  talk.folded = folded.filter((index) => index >= from).map((index) => index + moved);
  talk.history = 0;
  talk.compacted = { handles, untold: { stays, from, text: told.text }, texts };
  offerReader(state);
}

/** In the order in which they were read last. */
function latestOf(texts: readonly LastingText[]): readonly LastingText[] {
  const byName = new Map<string, LastingText>();
  for (const one of texts) {
    const text = one.text ?? byName.get(one.name)?.text;
    byName.delete(one.name);
    byName.set(one.name, { ...one, ...(text !== undefined && { text }) });
  }
  return [...byName.values()];
}
