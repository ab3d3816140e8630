// The agents that a run may lead to: those that an agent refers to, those they refer to, and those they may spawn.

import type { AgentName } from '../kernel/effect.ts';
import { edgesOf } from '../patterns/record.ts';
import type { CadreDefinition } from './definition.ts';

/** The agent itself first, then in the order of the files' references. */
export function reachableFrom(cadre: Pick<CadreDefinition, 'agents'>, name: AgentName): ReadonlySet<AgentName> {
  const seen = new Set<AgentName>();
  const waiting = [name];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const agent = cadre.agents.get(next);
    if (agent === undefined || seen.has(next)) continue;
    seen.add(next);
    waiting.push(...edgesOf(agent).map(({ to }) => to));
  }
  return seen;
}
