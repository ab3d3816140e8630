// An event in the words of a person who tells what happens. Pure.

import type { RunEvent, RunStart } from '../../../../../src/journal/event.ts';
import { opWords } from '../../../../../src/journal/op-words.ts';
import type { Broadcast, InboxRef, Mail, ModelReply, Verdict } from '../../../../../src/kernel/effect.ts';
import type { ToolResult } from '../../../../../src/kernel/message.ts';
import { describe, type Outcome } from '../../../../../src/kernel/outcome.ts';
import { type OpPath, ROOT } from '../../../../../src/kernel/path.ts';
import { verdictText } from '../../../../../src/kernel/verdict-words.ts';
import { duration } from '../../../../../src/views/amounts.ts';
import { askedWords } from '../../../../../src/views/asking/asked-words.ts';
import { controlWords } from '../../../../../src/views/control-words.ts';
import { replacedWords } from '../../../../../src/views/replaced-words.ts';
import { triggerWords } from '../../../../../src/views/step-words.ts';
import type { OpFacts } from '../../../../../src/views/tree/op-facts.ts';

export interface Happened {
  readonly seq: number;
  readonly at: number;
  readonly who: string;
  readonly words: string;
  readonly code?: string;
  readonly ms?: number;
  readonly usd?: number;
}

/** The facts about each op, and about the run itself. */
interface Facts {
  readonly at: (path: OpPath) => OpFacts | undefined;
  readonly start: RunStart | undefined;
}

/** Undefined for events that nobody would mention. */
export function happened(event: RunEvent, facts: Facts, you: readonly string[] = []): Happened | undefined {
  const { seq, at } = event;
  switch (event.type) {
    case 'run-start':
      return { seq, at, who: event.agent, words: `is asked: ${line(event.input.text)}` };
    case 'op-start':
      return begun(event, facts);
    case 'attempt':
      return {
        seq,
        at,
        who: agentAt(facts.at(event.path)),
        words: `attempt ${event.number} failed after ${duration(event.ms)}:`,
        code: event.fault.code,
      };
    case 'op-end':
      return ended(event, facts.at(event.path), you);
    case 'op':
      return instant(event);
    case 'run-resume':
      return { seq, at, who: '', words: 'resumed' };
    case 'control':
      return {
        seq,
        at,
        who: '',
        words: line(controlWords(event.message, you)),
        ...(event.refused !== undefined && { code: event.refused }),
      };
    case 'run-end':
      return { seq, at, who: event.outcome.agent ?? '', words: describe(event.outcome) };
    case 'intent':
      return { seq, at, who: agentAt(facts.at(event.path)), words: 'changes', code: event.change.path };
    case 'undo':
      return { seq, at, who: 'you', words: event.state === 'begun' ? 'take changes back' : 'have taken changes back' };
    case 'fact':
      return undefined;
  }
}

function begun(event: Extract<RunEvent, { type: 'op-start' }>, facts: Facts): Happened | undefined {
  const { seq, at, op } = event;
  switch (op.kind) {
    case 'model':
      if (op.compact !== undefined) return { seq, at, who: op.agent, words: `sums up ${replacedWords(op.compact)}` };
      return { seq, at, who: op.agent, words: `thinks, turn ${op.turn}` };
    case 'tool':
      return { seq, at, who: op.agent, words: 'calls', code: op.call.name };
    case 'run':
      return { seq, at, who: op.agent, words: `begins (${triggerWords(op.trigger)}): ${line(op.input.text)}` };
    case 'approval':
      return { seq, at, who: agentAbove(event.path, facts), words: `asks you: ${askedWords(op)}` };
    case 'say':
    case 'await-runs':
    case 'cancel-runs':
      return undefined;
    default:
      return { seq, at, who: '', words: opWords(event) };
  }
}

function ended(
  event: Extract<RunEvent, { type: 'op-end' }>,
  facts: OpFacts | undefined,
  you: readonly string[],
): Happened | undefined {
  const { seq, at, kind, result } = event;
  const who = agentAt(facts);
  const ms = facts === undefined ? {} : { ms: at - (facts.begins.at(-1) ?? facts.startedAt) };
  if (!result.ok)
    return { seq, at, who, words: `fails: ${line(result.fault.message)}`, code: result.fault.code, ...ms };
  const said = endWords(kind, result.value, you);
  return said === undefined ? undefined : { seq, at, who, ...said, ...ms };
}

function endWords(
  kind: string,
  value: unknown,
  you: readonly string[],
): Pick<Happened, 'words' | 'code' | 'usd'> | undefined {
  switch (kind) {
    case 'model': {
      const { message, spent } = value as ModelReply;
      const cost = spent.usd === undefined ? {} : { usd: spent.usd };
      if (message.calls.length === 0) return { words: `replies: ${line(message.text)}`, ...cost };
      return { words: 'replies:', code: message.calls.map(({ name }) => name).join(', '), ...cost };
    }
    case 'tool': {
      const { status, text } = value as ToolResult;
      return { words: `${status === 'ok' ? 'gets' : 'is told of an error'}: ${line(text)}` };
    }
    case 'run': {
      const outcome = value as Outcome;
      return { words: 'text' in outcome ? `${outcome.kind}: ${line(outcome.text)}` : describe(outcome) };
    }
    case 'approval': {
      const { note, ...verdict } = value as Verdict;
      return { words: `is ${verdictText(verdict, you)}${note === undefined ? '' : `: ${line(note)}`}` };
    }
    default:
      return undefined;
  }
}

function instant({ seq, at, kind, detail, value }: Extract<RunEvent, { type: 'op' }>): Happened | undefined {
  if (kind === 'post') {
    const { number, memberId, message } = value as Broadcast;
    return { seq, at, who: memberId, words: `#${number} ${line(message)}` };
  }
  if (kind === 'take') {
    const { as } = (detail as { readonly inbox: InboxRef }).inbox;
    const { broadcasts = [], messages } = value as Mail;
    const heard = broadcasts.map(({ number }) => `#${number}`).join(', ');
    const letters = messages.length === 0 ? '' : `${messages.length} in its inbox`;
    return {
      seq,
      at,
      who: as ?? '',
      words: ['hears', [heard, letters].filter((part) => part !== '').join(', ')].join(' '),
    };
  }
  return undefined;
}

const agentAt = (facts: OpFacts | undefined): string =>
  facts?.op !== undefined && 'agent' in facts.op ? facts.op.agent : '';

/** The agent whose session an op is of. */
function agentAbove(path: OpPath, facts: Facts): string {
  const above = path.slice(0, Math.max(0, path.lastIndexOf('.')));
  if (above === '' || above === ROOT) return facts.start?.agent ?? '';
  const op = facts.at(above)?.op;
  return op?.kind === 'run' ? op.agent : agentAbove(above, facts);
}

const line = (text: string): string => text.slice(0, 300).replaceAll(/\s+/g, ' ').trim();
