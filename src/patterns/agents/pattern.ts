// The catalog record of `agents`.

import type { AgentName } from '../../kernel/effect.ts';
import { largestOf } from '../bounds.ts';
import { ASK_CLARIFICATION, clarificationTools, DISMISS } from '../chat/clarification.ts';
import { chatPattern } from '../chat/pattern.ts';
import { toolName } from '../pattern.ts';
import { configOf, type DescribedTool, type Pattern, type PatternAgents } from '../record.ts';
import { triggersOf } from '../trigger-traits.ts';
import { agentTool } from './agent-tool.ts';

export const agentsPattern: Pattern<readonly AgentName[]> = {
  key: 'agents',
  keySpec: {
    form: { kind: 'agents', role: 'call', orText: true },
    guidance:
      'Sub-agents offered as tools. Each of them needs a description. A folder stands for the agents in it, and "*" for every ' +
      'other agent that has a description and does not lead to an agent with "*".',
    hints: { subagents: 'Did you mean "agents"? It lists the sub-agents that are offered as tools.' },
    fallback: [],
    configOf: (names) => ((names as readonly AgentName[]).length === 0 ? undefined : (names as readonly AgentName[])),
  },
  layer: 'within',
  triggers: triggersOf('call'),
  isPlain: true,
  edges: (agents) => agents.map((to) => ({ to, role: 'call', trigger: 'call', isAskedAgain: true })),
  hasLongResults: () => true,
  tools: (agents, { card, children, rules }) => [
    ...agents.map((name) => agentTool(card(name), children)),
    ...clarificationTools(children, rules),
  ],
  describe: (names, _agent, agents) => ({ tools: toolsFor(names, agents) }),
  callBound: (agents, { run }) => largestOf(agents.map((name) => run(name))),
};

/** A tool for each of them, and those to ask one again where any of them may be asked. */
function toolsFor(names: readonly AgentName[], agents: PatternAgents): readonly DescribedTool[] {
  const called = names.map((name) => {
    const { description = '' } = agents.get(name) ?? {};
    return { name: toolName(name), source: 'agents', description };
  });
  const isAsked = names.some((name) => configOf(agents.get(name) ?? { patterns: [] }, chatPattern) === true);
  return isAsked ? [...called, ...[ASK_CLARIFICATION, DISMISS].map((name) => ({ name, source: 'chat' }))] : called;
}
