// The `subagent` tool in a run: what a helper gets from its agent, and its routine.

import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import type { AgentName } from '../kernel/effect.ts';
import type { ToolSpec } from '../kernel/message.ts';
import type { KernelRules } from '../kernel/revision.ts';
import type { SessionInput } from '../kernel/session/session-spec.ts';
import { helperName, isHelper, ownerOf } from '../kernel/subagent.ts';
import { configOf } from '../patterns/record.ts';
import { type HelperParts, helper, type ParentSpec } from '../patterns/subagent/helper.ts';
import { limitsOf } from '../patterns/subagent/key.ts';
import { subagentPattern } from '../patterns/subagent/pattern.ts';
import { listFiles } from '../tools/files/list.ts';
import { readFileTool } from '../tools/files/read.ts';
import { searchFiles } from '../tools/files/search.ts';
import type { Instance } from '../world/state/sessions.ts';
import type { AgentFacts } from './agent-facts.ts';
import type { DrivenRun } from './driven-run.ts';

/** An agent of the cadre, or the helper of one. */
export function agentOrHelper(name: AgentName, cadre: CadreDefinition): AgentDefinition | undefined {
  const agent = cadre.agents.get(ownerOf(name));
  return agent === undefined || !isHelper(name) ? agent : helperOf(agent);
}

/** The helper of an agent: its models, the read-only file tools, and nothing else. */
const helperOf = (agent: AgentDefinition): AgentDefinition => ({
  ...agent,
  name: helperName(agent.name),
  tools: ['files'],
  approve: approvedFor(agent),
  trust: [],
  patterns: [],
});

const unopened = (): Promise<never> => Promise.reject(new Error('only the specs of these tools are used'));

/** These facts are fixed, so that nothing has to be found out before a helper can start. */
const HELPER_TOOLS: readonly ToolSpec[] = [listFiles, readFileTool, searchFiles].map((tool) => tool(unopened).spec);

/** The tools among them that need approval: what needs approval for the agent needs it for its helpers. */
const approvedFor = ({ approve }: AgentDefinition): readonly string[] =>
  HELPER_TOOLS.map(({ name }) => name).filter((name) =>
    approve.some((entry) => entry === 'files' || entry === name || entry === `files/${name}`),
  );

const parentSpec = (
  agent: AgentDefinition,
  { contextWindow }: AgentFacts,
  { guardsCircles }: KernelRules,
): ParentSpec => ({
  models: agent.models,
  settings: agent.settings,
  maxToolCallsPerTurn: agent.maxToolCallsPerTurn,
  maxRetries: agent.maxRetries,
  modelTimeoutMs: agent.modelTimeoutMs,
  ...(contextWindow !== undefined && { contextWindow }),
  ...(guardsCircles && agent.stuck !== undefined && { stuck: agent.stuck }),
});

/** The helper of an agent, ready for one run. `facts` are those of the agent. */
export function helperInstance(
  agent: AgentDefinition,
  facts: AgentFacts,
  { run, rules }: { readonly run: DrivenRun; readonly rules: KernelRules },
): Instance {
  const { definition, environment } = run;
  const config = configOf(agent, subagentPattern);
  if (config === undefined) throw new Error(`the file of ${agent.name} offers no sub-agent`);
  const parts: HelperParts = {
    owner: agent.name,
    limits: limitsOf(config, definition.config.limits),
    parent: parentSpec(agent, facts, rules),
    tools: HELPER_TOOLS,
    approve: approvedFor(agent),
    services: environment.services,
  };
  const start = (input: SessionInput) => helper(input, parts);
  return { start, again: start };
}
