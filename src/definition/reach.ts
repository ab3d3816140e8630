// The agents that a run may lead to: those that an agent refers to, those they refer to, and those they may spawn.

import { reachedFrom } from '../base/data/groups.ts';
import type { AgentName } from '../kernel/effect.ts';
import { edgesOf } from '../patterns/record.ts';
import type { CadreDefinition } from './definition.ts';

/** The agent itself first, then in the order of the files' references. */
export function reachableFrom(cadre: Pick<CadreDefinition, 'agents'>, name: AgentName): ReadonlySet<AgentName> {
  const known = (names: readonly AgentName[]): readonly AgentName[] => names.filter((one) => cadre.agents.has(one));
  return reachedFrom(known([name]), (one) => known(edgesOf(cadre.agents.get(one)!).map(({ to }) => to)));
}
