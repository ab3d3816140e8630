// Agents as tools: each of `agents` is a tool whose call is a run of that agent. A child's failure is a failed call.

import { answerTo, type Routine, type RunInput, type Trigger } from '../../kernel/effect.ts';
import { type FileRef, kindOfFile } from '../../kernel/file-ref.ts';
import { errorResult, filesWithin, type ToolCall, type ToolResult, type ToolSpec } from '../../kernel/message.ts';
import { isBroken, type Outcome } from '../../kernel/outcome.ts';
import { isObjectSchema } from '../../kernel/schema.ts';
import { extensible, schemaWithin } from '../../kernel/schema-parts.ts';
import type { SessionConversation } from '../../kernel/session/conversation.ts';
import type { SessionTool } from '../../kernel/session/session-tool.ts';
import { footer, withoutFooter } from '../chat/clarification.ts';
import type { Children } from '../children.ts';
import { type AgentCard, toolName } from '../pattern.ts';
import { quoteText } from '../quote-text.ts';
import { outcomeOf, withPartial } from '../run-agent.ts';

/** `children` are the children of the calling session, if any of them stays open. */
export function agentTool(card: AgentCard, children?: Children): SessionTool {
  return {
    spec: agentSpec(card),
    withoutMarks: withoutFooter,
    run: (call, talk) => callAgent(card, call, children, talk),
  };
}

function* callAgent(
  card: AgentCard,
  call: ToolCall,
  children: Children | undefined,
  talk: Pick<SessionConversation, 'messages'>,
): Routine<ToolResult> {
  const { [FILES]: named, ...given } = call.arguments as Record<string, unknown>;
  const handed =
    takesFiles(card) && named !== undefined ? handedFiles(card, named as readonly string[], talk) : undefined;
  if (typeof handed === 'string') return errorResult(handed);
  const plain = inputOf(card, takesFiles(card) ? given : (call.arguments as Record<string, unknown>));
  const input = handed === undefined || handed.length === 0 ? plain : { ...plain, files: handed };
  const settled = answerTo<'run'>(
    yield card.chat
      ? { kind: 'run', agent: card.name, input, trigger: CALL, keep: true }
      : { kind: 'run', agent: card.name, input, trigger: CALL },
  );
  const outcome = outcomeOf(settled);
  const child = children?.admit(card.name, outcome, card.chat);
  return agentResult(outcome, child === undefined ? '' : `\n\n${footer(child)}`);
}

const CALL: Trigger = { kind: 'call' };

const FILES = 'files';

/** True if its tool takes files: its file says which it accepts, and its own input has nothing of that name. */
function takesFiles({ accepts = [], input: { format, schema } }: AgentCard): boolean {
  if (accepts.length === 0) return false;
  if (format !== 'json' || !isObjectSchema(schema)) return true;
  return !Object.hasOwn((schema as { properties?: object }).properties ?? {}, FILES);
}

/** The newest file of each name that the conversation shows, or the reason why one cannot be handed on. */
function handedFiles(
  { name, accepts = [] }: AgentCard,
  wanted: readonly string[],
  { messages }: Pick<SessionConversation, 'messages'>,
): readonly FileRef[] | string {
  const atHand = new Map(messages.flatMap((message) => filesWithin(message).map((file) => [file.name, file] as const)));
  const files: FileRef[] = [];
  for (const one of new Set(wanted)) {
    const file = atHand.get(one);
    if (file === undefined)
      return `There is no file ${JSON.stringify(one)} at hand. There ${atHand.size === 0 ? 'is none' : `is: ${[...atHand.keys()].join(', ')}`}.`;
    if (!accepts.includes(kindOfFile(file)))
      return `${name} does not take ${JSON.stringify(one)}, which is ${file.type}. It takes: ${accepts.join(', ')}.`;
    files.push(file);
  }
  return files;
}

const HANDED = {
  type: 'array',
  items: { type: 'string' },
  description: 'Names of files at hand that it is to see, such as shot.png.',
};

const REASON = { type: 'string', description: 'Why you call this agent, in one sentence.' };

/** The sentence on the form of the input, for its description. */
const WRITTEN: Readonly<Record<AgentCard['input']['format'], string | undefined>> = {
  any: undefined,
  text: 'Write it as plain text.',
  markdown: 'Write it in Markdown.',
  json: undefined,
};

const specs = new WeakMap<AgentCard, ToolSpec>();

/** The same spec object for the same card, so that every session offers the same one. */
function agentSpec(card: AgentCard): ToolSpec {
  const known = specs.get(card) ?? makeSpec(card);
  specs.set(card, known);
  return known;
}

function makeSpec(card: AgentCard): ToolSpec {
  const { format, schema = {} } = card.input;
  const whole = format === 'json' && isObjectSchema(schema) ? extensible(schema) : undefined;
  const description = [card.usage, WRITTEN[format]].filter((part) => part !== undefined).join(' ');
  const input = {
    ...(format === 'json' ? (schemaWithin('#/properties/input', schema) as object) : { type: 'string' }),
    ...(description !== '' && { description }),
  };
  const {
    properties,
    required = [],
    ...rest
  } = whole ?? { type: 'object', properties: { input }, required: ['input'] };
  return {
    name: toolName(card.name),
    description: card.description,
    parameters: {
      ...rest,
      properties: { ...(properties as object), ...(takesFiles(card) && { [FILES]: HANDED }), reason: REASON },
      required: [...new Set([...(required as string[]), 'reason'])],
    },
  };
}

function inputOf(card: AgentCard, given: Record<string, unknown>): RunInput {
  const reason = String(given['reason']);
  if (card.input.format !== 'json') return { text: String(given['input']), reason };
  const { reason: _, ...rest } = given;
  const own = isObjectSchema(card.input.schema);
  const keepsReason = own && Object.hasOwn((card.input.schema as { properties?: object }).properties ?? {}, 'reason');
  const data = own ? (keepsReason ? given : rest) : given['input'];
  return { text: JSON.stringify(data), data, reason };
}

/** The longest answer that is given whole, and how much of each end of a longer one is shown. */
const WHOLE = 32_768;
const HEAD = 12_000;
const TAIL = 4_000;

/** The outcome word, then the answer or the partial output. */
export function agentResult(outcome: Outcome, ending = ''): ToolResult {
  const { handle } = outcome;
  if (!isBroken(outcome)) {
    const whole = 'text' in outcome ? outcome.text : '';
    const text = `outcome: ${outcome.kind}\n\n${quoteText(shortened(whole, handle))}${ending}`;
    return { status: 'ok', text, ...(isLong(whole) && handle !== undefined && { handle }) };
  }
  const { partial, fault } = outcome;
  const written = partial === undefined ? undefined : quoteText(shortened(partial, handle));
  const result = errorResult(withPartial(`outcome: ${outcome.kind}\n\n${quoteText(fault.message)}`, written));
  return isLong(partial ?? '') && handle !== undefined ? { ...result, handle } : result;
}

const isLong = (text: string): boolean => text.length > WHOLE;

function shortened(text: string, handle: string | undefined): string {
  if (!isLong(text) || handle === undefined) return text;
  const left = text.length - HEAD - TAIL;
  const note = `[… ${left} of ${text.length} characters left out here. Read them with read_result({"handle": "${handle}"}) …]`;
  return `${text.slice(0, HEAD)}\n\n${note}\n\n${text.slice(-TAIL)}`;
}
