// A tool as a session sees it: a spec for the model, and a routine. A plain tool's routine asks the world for one
// tool call; an agent as a tool, a broadcast or an exit are routines of other kinds. The session treats them alike.

import { ASKED_FIRST, type AskedCall, approvalPrompt, type PreviewAnswer } from '../approval.ts';
import { type AgentName, answerTo, type Effect, type OfferedTools, perform, type Routine } from '../effect.ts';
import { errorResult, type Message, type ToolCall, type ToolResult, type ToolSpec } from '../message.ts';
import type { Outcome } from '../outcome.ts';
import { ASK_PERSON_ADDRESS, askPerson } from '../person.ts';
import type { JsonSchema, Violation } from '../schema.ts';
import type { CircleTraits } from './circles.ts';
import type { LastingText, SessionConversation } from './conversation.ts';
import { unknownHandle } from './notices.ts';

/** A result for the model, the end of the session, or a refused exit with what is wrong with it. */
export type ToolAnswer =
  | ToolResult
  | { readonly outcome: Outcome }
  | { readonly refused: ToolResult; readonly violations: readonly Violation[] };

/** Lines that stand below the summary of a compaction, under a heading. Without lines there is no heading. */
export interface LastingFacts {
  readonly heading: string;
  readonly lines: readonly string[];
  readonly texts?: readonly LastingText[];
}

export interface SessionTool extends CircleTraits {
  readonly spec: ToolSpec;
  /** The world performs it, and may offer others in its place. */
  readonly plain?: true;
  /** The schema that its arguments are held to, where it says more than the one that models read. */
  readonly held?: JsonSchema;
  /** The current spec, for a tool whose parameters change; undefined while the tool is not available. */
  currentSpec?(): ToolSpec | undefined;
  /** The tool judges its arguments itself, so that it can say more than a schema can. */
  readonly validatesItself?: true;
  /** The tool has its own form of answer for calls whose arguments are not JSON. */
  readonly acceptsMalformed?: true;
  /** Its results are the last that make room in a full conversation. */
  readonly foldsLast?: true;
  /** True if this call would end the session. */
  exits?(call: ToolCall): boolean;
  /** True if this exit ends only the session's part in a cycle: its next message continues it. */
  pauses?(call: ToolCall): boolean;
  /** An exit that does not count on the last turn. */
  readonly unavailableOnLastTurn?: true;
  /** The arguments that a plain text reply stands for, if it counts as a call of this exit. */
  fromText?(text: string): unknown;
  /** Tells the model again, after a compaction has replaced these messages. */
  lasting?(replaced: readonly Message[]): Routine<LastingFacts>;
  /** `talk` is the conversation of the session that calls: sessions of one agent may share a tool. */
  run(call: ToolCall, talk: SessionConversation): Routine<ToolAnswer>;
}

/** The tool that reads long results back. */
export const READ_RESULT_NAME = 'read_result';

/** A person is asked before a call: never, about its arguments, or about its preview. */
type AskPolicy = 'never' | 'arguments' | 'preview';

/** One call of a tool that the world performs. If it needs approval, a person is asked first. */
export function plainTool(agent: AgentName, spec: ToolSpec, asks: AskPolicy = 'never', source?: string): SessionTool {
  return { spec, plain: true, run: runOf(agent, spec, asks, source) };
}

function runOf(agent: AgentName, { name }: ToolSpec, asks: AskPolicy, source: string | undefined): SessionTool['run'] {
  if (name === READ_RESULT_NAME) return (call, talk) => readGiven(agent, call, talk);
  if (source === ASK_PERSON_ADDRESS) return (call) => askPerson(agent, call);
  if (asks === 'never') return (call) => callPlainly(agent, call, source);
  return asks === 'preview'
    ? (call) => callPreviewed(agent, call, source)
    : (call) => callApproved(agent, source === undefined ? call : { ...call, source });
}

export const plainTools = (agent: AgentName, offered: OfferedTools): readonly SessionTool[] =>
  offered.tools.map((spec) => {
    const { sources = {} } = offered;
    const source = Object.hasOwn(sources, spec.name) ? sources[spec.name] : undefined;
    return marked(plainTool(agent, spec, askingOf(spec.name, offered), source), offered);
  });

function marked(tool: SessionTool, { readOnly = [], uncounted = [] }: OfferedTools): SessionTool {
  const { name } = tool.spec;
  const isReadOnly = name === READ_RESULT_NAME || readOnly.includes(name);
  if (!isReadOnly && !uncounted.includes(name)) return tool;
  return { ...tool, ...(isReadOnly && { readOnly: true }), ...(uncounted.includes(name) && { uncounted: true }) };
}

function askingOf(name: string, { approve, previews = [] }: OfferedTools): AskPolicy {
  if (!approve.includes(name)) return 'never';
  return previews.includes(name) ? 'preview' : 'arguments';
}

/** The tools of a session, with what is offered now in place of what the world offered before. */
export function withOffered(
  agent: AgentName,
  tools: readonly SessionTool[],
  offered: OfferedTools,
): readonly SessionTool[] {
  return [...plainTools(agent, offered), ...tools.filter((tool) => tool.plain !== true)];
}

/** Opens only results whose handle the calling session was given. */
function* readGiven(agent: AgentName, call: ToolCall, { handles }: SessionConversation): Routine<ToolResult> {
  const { handle } = call.arguments as { readonly handle: string };
  return handles?.has(handle) ? yield* callPlainly(agent, call, undefined) : errorResult(unknownHandle(handle));
}

function* callPlainly(
  agent: AgentName,
  call: ToolCall,
  source: string | undefined,
  basis?: string,
): Routine<ToolResult> {
  const plain: Effect = source === undefined ? { kind: 'tool', agent, call } : { kind: 'tool', agent, call, source };
  const effect = basis === undefined ? plain : { ...plain, basis };
  const settled = answerTo<'tool'>(yield effect);
  if (!settled.ok) return errorResult(`${settled.fault.code}: ${settled.fault.message}`);
  const { asks, source: told } = settled.value;
  if (asks === undefined) return settled.value; // this very object: by it the record knows which op holds the text
  const known = source ?? told;
  const from = known === undefined ? {} : { source: known };
  return yield* callApproved(agent, { ...call, ...from, preview: asks }); // made again with what the person saw
}

function* callApproved(agent: AgentName, asked: AskedCall): Routine<ToolResult> {
  const { source, preview, ...call } = asked;
  return (yield* refusedByPerson(agent, asked)) ?? (yield* callPlainly(agent, call, source, preview?.basis));
}

/** Finds out first what the call would do: it may be trusted, and one that cannot work is not asked about. */
export function* callPreviewed(agent: AgentName, call: ToolCall, source?: string): Routine<ToolResult> {
  const from = source === undefined ? {} : { source };
  const looked = yield* perform<'preview'>({ kind: 'preview', agent, call, ...from });
  if (!looked.ok) return errorResult(`${looked.fault.code}: ${looked.fault.message}`);
  const answer: PreviewAnswer = looked.value;
  switch (answer.kind) {
    case 'shown':
      return yield* callApproved(agent, { ...call, ...from, preview: answer.preview });
    case 'asks': {
      const refused = yield* refusedByPerson(agent, { ...call, ...from });
      return refused ?? (yield* callPlainly(agent, call, source, ASKED_FIRST));
    }
    case 'trusted':
    case 'denied':
    case 'free':
      return yield* callPlainly(agent, call, source);
    case 'refused':
      return errorResult(answer.text);
  }
}

/** Asks a person. Returns the result for the model if the answer is no, and nothing if it is yes. */
export function* refusedByPerson(agent: AgentName, call: AskedCall): Routine<ToolResult | undefined> {
  const prompt = approvalPrompt(agent, call);
  const verdict = yield* perform<'approval'>({ kind: 'approval', prompt, about: call });
  if (!verdict.ok) return errorResult(`${verdict.fault.code}: ${verdict.fault.message}`);
  if (verdict.value.approved) return undefined;
  return errorResult(
    `The call of ${call.name} was not approved${verdict.value.note ? `: ${verdict.value.note}` : '.'}`,
  );
}
