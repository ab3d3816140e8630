// The choice of the step that answers a request. The decision depends only on the request (agent, turn, messages), so
// that many sessions may run at once and any of them may resume in another process.
// MATCH-1. Steps with `when` come first, in the order in which they are written; each answers when its condition holds.
// MATCH-2. The other steps answer in order, one for each turn that no step of MATCH-1 answered. Which turns those were
//          is worked out again from the messages every time.
//          Turns that a compaction has replaced count as such turns.
// MATCH-3. Only the count of spoiled attempts of a call is remembered, and it is kept with that call's messages.
// MATCH-4. A compaction is no turn. Steps with `when: {compact: true}` answer it, and answer nothing else.

import { filesWithin, type Message } from '../../kernel/message.ts';
import { isWorkSoFar } from '../../kernel/session/notices.ts';
import type { ProviderRequest } from '../provider.ts';
import type { Condition, ScriptedFault, ScriptStep, TextPattern } from './script.ts';
import { firstText, type TemplateScope, textOf } from './template.ts';

/** The steps of one agent, sorted for matching. */
export interface ScriptPart {
  readonly conditional: readonly ScriptStep[];
  /** They answer compactions, and nothing else does (MATCH-4). */
  readonly compacting: readonly ScriptStep[];
  /** The steps that answer the first plain turn, the second, and so on. */
  readonly plain: readonly Slot[];
  /** The step that answers all plain turns after those. */
  readonly endless?: Slot;
}

/** Steps with only faults, and the step that follows them. */
interface Slot {
  readonly before: readonly ScriptStep[];
  readonly step?: ScriptStep;
}

interface SpoiledAttempt {
  readonly step: ScriptStep;
  readonly fault: ScriptedFault;
}

export function sortSteps(steps: readonly ScriptStep[]): ScriptPart {
  const plain: Slot[] = [];
  let endless: Slot | undefined;
  let before: ScriptStep[] = [];
  for (const step of steps) {
    if (step.when !== undefined) continue;
    if (step.reply === undefined) {
      before.push(step);
      continue;
    }
    const slot: Slot = { before, step };
    before = [];
    if (step.repeat === Number.POSITIVE_INFINITY) endless = slot;
    else for (let count = 0; count < step.repeat; count++) plain.push(slot);
  }
  if (before.length > 0) plain.push({ before });
  const conditional = steps.filter(({ when }) => when !== undefined && when.compact !== true);
  const compacting = steps.filter(({ when }) => when?.compact === true);
  return { conditional, compacting, plain, ...(endless && { endless }) };
}

export function candidatesFor(
  part: ScriptPart,
  request: ProviderRequest,
): {
  readonly faults: readonly SpoiledAttempt[];
  readonly reply?: ScriptStep;
  readonly scope: TemplateScope;
} {
  const { messages, turn } = request;
  const end = messages.length;
  const faults: SpoiledAttempt[] = [];
  let scope: TemplateScope = { request, last: messages[end - 1] };
  for (const step of request.compact === undefined ? part.conditional : part.compacting) {
    const held = holds(step.when ?? {}, request, end, turn);
    if (held === undefined) continue;
    scope = held;
    spoil(faults, step);
    if (step.reply !== undefined) return { faults, reply: step, scope };
  }
  if (request.compact !== undefined) return { faults, scope };
  const ordinal = part.conditional.length === 0 ? turn - 1 : plainTurnsBefore(part, request);
  const slot = part.plain[ordinal] ?? part.endless;
  for (const step of slot?.before ?? []) spoil(faults, step);
  if (slot?.step === undefined) return { faults, scope };
  spoil(faults, slot.step);
  return { faults, reply: slot.step, scope };
}

function spoil(faults: SpoiledAttempt[], step: ScriptStep): void {
  const rounds = step.reply !== undefined ? 1 : Math.min(step.repeat, 1000);
  for (let round = 0; round < rounds; round++) for (const fault of step.faults) faults.push({ step, fault });
}

/** MATCH-2: earlier turns that no conditional step answered. */
function plainTurnsBefore(part: ScriptPart, request: ProviderRequest): number {
  const { history = 0 } = request;
  const replaced = replacedTurns(request);
  let turn = replaced;
  let plain = replaced;
  request.messages.forEach((message, index) => {
    if (message.role !== 'assistant' || index < history) return;
    turn += 1;
    const taken = part.conditional.some(
      (step) => step.reply !== undefined && holds(step.when ?? {}, request, index, turn) !== undefined,
    );
    if (!taken) plain += 1;
  });
  return plain;
}

function replacedTurns({ messages, turn }: ProviderRequest): number {
  if (!messages.some((message) => message.role === 'user' && isWorkSoFar(message.text))) return 0;
  return Math.max(0, turn - 1 - messages.filter(({ role }) => role === 'assistant').length);
}

/** The scope of the step, if its condition held at the turn whose reply is (or will be) message `end`. */
function holds(when: Condition, request: ProviderRequest, end: number, turn: number): TemplateScope | undefined {
  const { messages } = request;
  if (when.turn !== undefined && when.turn !== turn) return undefined;
  let match: RegExpExecArray | undefined;
  let last = messages[end - 1];
  if (when.file !== undefined) {
    const { file } = when;
    if (!messages.slice(0, end).some((message) => filesWithin(message).some(({ type }) => type === file)))
      return undefined;
  }
  if (when.input !== undefined) {
    const found = find(when.input, firstText(request) ?? '');
    if (found === undefined) return undefined;
    if (found !== true) match = found;
  }
  if (when.history !== undefined) {
    const pattern = when.history;
    const holder = messages
      .slice(0, request.history ?? 0)
      .find((message) => find(pattern, textOf(message)) !== undefined);
    if (holder === undefined) return undefined;
    const found = find(pattern, textOf(holder));
    if (found !== undefined && found !== true) match = found;
  }
  if (when.tool !== undefined) {
    const result = newest(messages, end, (message) => message.role === 'tool' && message.name === when.tool);
    if (result === undefined) return undefined;
    last = result;
  }
  if (when.last !== undefined) {
    const pattern = when.last;
    const holder = newest(messages, end, (message) => find(pattern, textOf(message)) !== undefined);
    if (holder === undefined) return undefined;
    last = holder;
    const found = find(pattern, textOf(holder));
    if (found !== undefined && found !== true) match = found;
  }
  return match === undefined ? { request, last } : { request, last, match };
}

/** The newest such message since the previous reply. */
function newest(messages: readonly Message[], end: number, test: (message: Message) => boolean): Message | undefined {
  for (let index = end - 1; index >= 0; index--) {
    const message = messages[index];
    if (message === undefined || message.role === 'assistant') return undefined;
    if (test(message)) return message;
  }
  return undefined;
}

function find(pattern: TextPattern, text: string): RegExpExecArray | true | undefined {
  if (typeof pattern === 'string') return text.includes(pattern) ? true : undefined;
  return pattern.exec(text) ?? undefined;
}
