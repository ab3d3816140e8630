// Finds the tool that a call goes to, for the agent that makes it.

import { durationText } from '../base/text/words.ts';
import type { AgentDefinition } from '../definition/definition.ts';
import type { OpEnd } from '../journal/event.ts';
import type { AgentName } from '../kernel/effect.ts';
import { FaultError, fault } from '../kernel/fault.ts';
import type { ToolResult } from '../kernel/message.ts';
import type { AnsweredOutcome, BrokenOutcome, Outcome } from '../kernel/outcome.ts';
import { asRecorded, type RedactedText } from '../kernel/redacted.ts';
import type { StopSignal } from '../kernel/stop-signal.ts';
import { outputText, recordedOutput } from '../patterns/subagent/output.ts';
import type { ToolRules } from '../rules/judge-call.ts';
import { type KeptResult, READ_RESULT, readResultTool } from '../tools/read-result.ts';
import { USE_SKILL } from '../tools/skills/use-skill.ts';
import type { Tool } from '../tools/tool.ts';
import { childStop, orAborted } from '../world/abort.ts';
import type { LiveRun } from './driven-run.ts';
import { agentOrHelper } from './helper-agent.ts';
import type { AgentTools } from './resources.ts';
import { performedSkillTool } from './skills.ts';
import { usesServers } from './uses-servers.ts';

/** A tool as a session was offered it. */
interface Offered {
  readonly name: string;
  readonly source: string | undefined;
}

interface CalledTool {
  readonly tool: Tool;
  /** The entries of the agent that mean it. Absent: none can. */
  readonly rules?: ToolRules | undefined;
  /** Its source, as agent files write it. */
  readonly address?: string | undefined;
}

/** The longest time of a timer. Node fires a longer one at once. */
export const LONGEST_TIMER = 2 ** 31 - 1;

export function callerOf(name: AgentName, { cadre }: LiveRun): AgentDefinition {
  const agent = agentOrHelper(name, cadre.recordable);
  if (agent === undefined) throw new Error(`the checked cadre has no agent ${name}`);
  return agent;
}

/** The tool by which a loop's command judges: the agent need not have it, and its rules hold. */
export async function judgingTool(agent: AgentDefinition, { cadre: { resources } }: LiveRun): Promise<CalledTool> {
  const found = await resources.commandTool?.(agent);
  if (found === undefined) throw new FaultError(fault('tool/source', 'Commands cannot be run here.'));
  return found;
}

export function calledTool(
  agent: AgentDefinition,
  offered: Offered,
  signal: StopSignal,
  run: LiveRun,
): CalledTool | Promise<CalledTool> {
  if (offered.name === READ_RESULT.name) return { tool: readResultTool((handle) => keptResult(handle, run)) };
  if (agent.skills !== undefined && offered.name === USE_SKILL.name) return { tool: performedSkillTool(agent, run) };
  if (usesServers(agent)) return openedTool(agent, offered, signal, run);
  const all = run.cadre.resources.toolsOf(agent);
  return all instanceof Promise ? all.then((ready) => toolOf(ready, offered, agent)) : toolOf(all, offered, agent);
}

/** A server that has to be started again for a call may take as long as a call may take. */
async function openedTool(
  agent: AgentDefinition,
  offered: Offered,
  signal: StopSignal,
  { cadre: { resources } }: LiveRun,
): Promise<CalledTool> {
  const { name } = offered;
  const late = fault(
    'tool/timeout',
    `The server of ${name} did not answer within ${durationText(agent.toolTimeoutMs)}.`,
  );
  const { signal: timed, unlink } = childStop(signal);
  const timer = setTimeout(() => timed.abort(new FaultError(late)), Math.min(agent.toolTimeoutMs, LONGEST_TIMER));
  try {
    const all = resources.latestTools?.(agent, timed) ?? resources.toolsOf(agent, timed);
    return toolOf(await orAborted(Promise.resolve(all), timed), offered, agent);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

/** Finds the tool that was offered, even if another one has its name by now. */
function toolOf(all: AgentTools, { name, source }: Offered, agent: AgentDefinition): CalledTool {
  const { tools, addresses = new Map<string, string>(), rules } = all;
  const isIt = source === undefined || addresses.get(name) === source;
  const now = isIt ? name : [...addresses].find(([, address]) => address === source)?.[0];
  const tool = now === undefined ? undefined : tools.get(now);
  if (tool !== undefined && now !== undefined) {
    return { tool, rules: rules?.get(now), address: addresses.get(now) };
  }
  const from = source === undefined ? '' : ` (${source})`;
  throw new FaultError(fault('tool/unknown', `${agent.name} has no tool ${name}${from} any more.`));
}

/** A handle is a digest for what was too long for the record, and an op's path for what stands in it. */
async function keptResult(
  handle: string,
  { start, environment: { store }, journal }: LiveRun,
): Promise<KeptResult | undefined> {
  if (/^[0-9a-f]{64}$/.test(handle)) {
    const bytes = await store.blobs.get(handle);
    return bytes === undefined ? undefined : { text: asRecorded(new TextDecoder().decode(bytes)) };
  }
  const seq = journal.seqOfEnd(handle);
  if (seq === undefined) return undefined;
  await journal.flush();
  for await (const event of store.read(start.run, seq)) return event.type === 'op-end' ? resultIn(event) : undefined;
  return undefined;
}

function resultIn(event: OpEnd): KeptResult | undefined {
  const text = textOf(event);
  const { shown } = (event.result.ok ? (event.result.value ?? {}) : {}) as Partial<ToolResult>;
  return text === undefined ? undefined : { text, ...(shown && { files: shown.files }) };
}

function textOf(event: OpEnd): RedactedText | undefined {
  if (!event.result.ok) return asRecorded(event.result.fault.message);
  const value = event.result.value as Partial<
    Pick<AnsweredOutcome, 'text' | 'record'> & Pick<BrokenOutcome, 'partial'>
  > | null;
  const text =
    value?.record === undefined
      ? (value?.text ?? value?.partial)
      : outputText(recordedOutput(value as Outcome, value.record));
  return text === undefined ? undefined : asRecorded(text);
}
