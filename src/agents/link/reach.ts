// Who a run of an agent may lead to: everyone it refers to, whom they refer to, and whom they may spawn.

import type { AgentName } from '../../kernel/effect.ts';
import { edgesOf } from '../../patterns/catalog.ts';
import type { CadreDefinition } from '../definition.ts';

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
