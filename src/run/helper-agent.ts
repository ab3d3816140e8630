// The `subagent` tool in a run: what a helper gets from its agent, and its routine.

import type { AgentDefinition, CadreDefinition } from '../definition/definition.ts';
import type { AgentName, OfferedTools } from '../kernel/effect.ts';
import type { KernelRules } from '../kernel/revision.ts';
import type { SessionInput } from '../kernel/session/session-spec.ts';
import { helperName, isHelper, ownerOf } from '../kernel/subagent.ts';
import { configOf } from '../patterns/record.ts';
import { type HelperParts, helper, type ParentSpec } from '../patterns/subagent/helper.ts';
import { limitsOf } from '../patterns/subagent/key.ts';
import { subagentPattern } from '../patterns/subagent/pattern.ts';
import { parseCallRule } from '../rules/call-rule.ts';
import { listFiles } from '../tools/files/list.ts';
import { readFileTool } from '../tools/files/read.ts';
import { searchFiles } from '../tools/files/search.ts';
import { type BoxedTool, isMeantBy } from '../tools/toolbox.ts';
import type { Instance } from '../world/state/sessions.ts';
import type { AgentFacts } from './agent-facts.ts';
import type { DrivenRun } from './driven-run.ts';
import { ruledTools } from './resources/ruled-tools.ts';

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
  approve: agent.approve.filter(isOfFiles),
  trust: [],
  deny: agent.deny.filter(isOfFiles),
  patterns: [],
});

const unopened = (): Promise<never> => Promise.reject(new Error('only the specs of these tools are used'));

/** These facts are fixed, so that nothing has to be found out before a helper can start. */
const HELPER_TOOLS: readonly BoxedTool[] = [listFiles, readFileTool, searchFiles].map((make) => {
  const tool = make(unopened);
  return { tool, address: `files/${tool.spec.name}` };
});

/** True if the entry concerns helpers: they may not do what their agent may not do, and ask where it has to ask. */
function isOfFiles(entry: string): boolean {
  const { name = '' } = parseCallRule(entry) ?? {};
  return HELPER_TOOLS.some((one) => isMeantBy(name, one));
}

/** The tools of the helpers as a session is offered them. */
function offeredToHelper(agent: AgentDefinition): OfferedTools {
  const { tools, approve, previews } = ruledTools(helperOf(agent), HELPER_TOOLS);
  const specs = [...tools.values()].map(({ spec }) => spec);
  const uncounted = HELPER_TOOLS.filter((one) => agent.stuck?.except.some((entry) => isMeantBy(entry, one)) === true);
  return {
    tools: specs,
    readOnly: specs.map(({ name }) => name),
    uncounted: uncounted.map(({ tool }) => tool.spec.name),
    approve,
    ...(previews && { previews }),
  };
}

const parentSpec = (
  agent: AgentDefinition,
  { contextWindow }: AgentFacts,
  { guardsCircles, keepsTools }: KernelRules,
): ParentSpec => ({
  models: agent.models,
  settings: agent.settings,
  maxToolCallsPerTurn: agent.maxToolCallsPerTurn,
  maxRetries: agent.maxRetries,
  modelTimeoutMs: agent.modelTimeoutMs,
  ...(contextWindow !== undefined && { contextWindow }),
  ...(keepsTools && { keepsTools: true }),
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
    offered: offeredToHelper(agent),
    services: environment.services,
  };
  const start = (input: SessionInput) => helper(input, parts);
  return { start, again: start };
}
