// Who a run of an agent may lead to: everyone it refers to, whom they refer to, and whom they may spawn.

import type { AgentName } from '../kernel/effect.ts';
import type { AgentDefinition, CadreDefinition } from './definition.ts';

/** The agent itself first, then in the order of the files' references. */
export function reachableFrom(cadre: Pick<CadreDefinition, 'agents'>, name: AgentName): ReadonlySet<AgentName> {
  const seen = new Set<AgentName>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const agent = cadre.agents.get(next);
    if (agent === undefined || seen.has(next)) continue;
    seen.add(next);
    waiting.push(...referredBy(agent));
  }
  return seen;
}

const referredBy = ({ agents, chain, router, advisors, team, spawn }: AgentDefinition): readonly AgentName[] => [
  ...agents,
  ...(chain?.stages.flatMap((stage) => [stage.to, ...(stage.else === undefined ? [] : [stage.else])]) ?? []),
  ...(router?.destinations ?? []),
  ...(advisors?.agents ?? []),
  ...(team === undefined ? [] : [...team.members, team.supervisor]),
  ...(spawn?.agents ?? []),
];
