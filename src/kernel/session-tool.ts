// A tool as a session sees it: a spec for the model, and a routine. A plain tool's routine asks the world for one
// tool call; an agent as a tool, a broadcast or an exit are routines of other kinds. The session treats them alike.

import type { Conversation } from './conversation.ts';
import { type AgentName, answerTo, type OfferedTools, perform, type Routine } from './effect.ts';
import { errorResult, type ToolCall, type ToolResult, type ToolSpec } from './message.ts';
import { unknownHandle } from './notices.ts';
import type { Outcome } from './outcome.ts';
import type { Violation } from './schema.ts';

/** A result for the model; or the end of the session; or an exit that was refused, with what is wrong. */
export type ToolAnswer =
  | ToolResult
  | { readonly outcome: Outcome }
  | { readonly refused: ToolResult; readonly violations: readonly Violation[] };

export interface SessionTool {
  readonly spec: ToolSpec;
  /** The world performs it, and may offer others in its place. */
  readonly plain?: true;
  /** The spec as of now, for a tool whose parameters change; undefined while it is not to be had. */
  now?(): ToolSpec | undefined;
  /** The tool judges its arguments itself, so that it can say more than a schema can. */
  readonly judgesItself?: true;
  /** The tool answers calls whose arguments are not JSON in its own form. */
  readonly readsMalformed?: true;
  /** Whether this call would end the session. */
  exits?(call: ToolCall): boolean;
  /** Whether this exit ends only the session's part in a cycle: its next message continues it. */
  pauses?(call: ToolCall): boolean;
  /** An exit that does not count on the last turn. */
  readonly notLast?: true;
  /** The arguments that a plain text reply stands for, where it counts as a call of this exit. */
  fromText?(text: string): unknown;
  /** `talk` is the conversation of the session that calls: sessions of one agent may share a tool. */
  run(call: ToolCall, talk: Conversation): Routine<ToolAnswer>;
}

/** The tool that reads long results back. */
export const READ_RESULT_NAME = 'read_result';

/** One call of a tool that the world performs. `approve` waits for a person's yes first. */
export function plainTool(agent: AgentName, spec: ToolSpec, approve: boolean): SessionTool {
  return { spec, plain: true, run: runOf(agent, spec, approve) };
}

function runOf(agent: AgentName, { name }: ToolSpec, approve: boolean): SessionTool['run'] {
  if (name === READ_RESULT_NAME) return (call, talk) => readGiven(agent, call, talk);
  return approve ? (call) => callApproved(agent, call) : (call) => callPlainly(agent, call);
}

/** The tools of a session, with what is offered now in place of what the world offered before. */
export function withOffered(
  agent: AgentName,
  tools: readonly SessionTool[],
  { tools: specs, approve }: OfferedTools,
): readonly SessionTool[] {
  const offered = specs.map((spec) => plainTool(agent, spec, approve.includes(spec.name)));
  return [...offered, ...tools.filter((tool) => tool.plain !== true)];
}

/** Opens only what the session that calls was given a handle of. */
function* readGiven(agent: AgentName, call: ToolCall, { handles }: Conversation): Routine<ToolResult> {
  const { handle } = call.arguments as { readonly handle: string };
  return handles.has(handle) ? yield* callPlainly(agent, call) : errorResult(unknownHandle(handle));
}

function* callPlainly(agent: AgentName, call: ToolCall): Routine<ToolResult> {
  const settled = answerTo<'tool'>(yield { kind: 'tool', agent, call });
  return settled.ok ? settled.value : errorResult(`${settled.fault.code}: ${settled.fault.message}`);
}

function* callApproved(agent: AgentName, call: ToolCall): Routine<ToolResult> {
  return (yield* refusedByPerson(agent, call)) ?? (yield* callPlainly(agent, call));
}

export const approvalPrompt = (agent: AgentName, { name }: ToolCall): string => `${agent} wants to call ${name}`;

/** Asks a person. Gives what the model is told where the answer is no, and nothing where it is yes. */
export function* refusedByPerson(agent: AgentName, call: ToolCall): Routine<ToolResult | undefined> {
  const prompt = approvalPrompt(agent, call);
  const verdict = yield* perform<'signal'>({ kind: 'signal', name: 'approve', prompt, about: call });
  if (!verdict.ok) return errorResult(`${verdict.fault.code}: ${verdict.fault.message}`);
  if (verdict.value.approved) return undefined;
  return errorResult(
    `The call of ${call.name} was not approved${verdict.value.note ? `: ${verdict.value.note}` : '.'}`,
  );
}
