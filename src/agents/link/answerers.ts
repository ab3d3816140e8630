// Who owns an answer. A reference to an agent gets its terminal agent's answer: the last stage of its chain, the
// destination of a router (or the router itself), the supervisor of a team.

import type { AgentName } from '../../kernel/effect.ts';
import { edgesOf } from '../../patterns/catalog.ts';
import type { AgentDefinition } from '../definition.ts';

export interface Definitions {
  get(name: AgentName): AgentDefinition | undefined;
}

/** The agents that may give the answer when `name` is run. */
export function answerers(name: AgentName, agents: Definitions): readonly AgentName[] {
  return [...collect([name], agents, new Set())];
}

/** The agents that may give the answer that goes into the chain of `name`: its own part, before any hand-over. */
export function ownAnswerers(name: AgentName, agents: Definitions): readonly AgentName[] {
  const { own, others } = ownPart(name, agents.get(name));
  return [...new Set([...own, ...collect(others, agents, new Set([name]))])];
}

function ownPart(
  name: AgentName,
  agent: AgentDefinition | undefined,
): { own: AgentName[]; others: readonly AgentName[] } {
  if (agent === undefined) return { own: [name], others: [] };
  const others = edgesOf(agent).filter(({ means, pattern }) => means.answers && pattern.at !== 'last');
  // Where other agents answer in place of the session, the session itself does not.
  const isReplaced = others.some(({ pattern }) => pattern.at === 'instead');
  return { own: isReplaced ? [] : [name], others: others.map(({ to }) => to) };
}

/** Visits each agent once and does not recurse, so that cycles and chains of thousands of agents are safe. */
function collect(names: readonly AgentName[], agents: Definitions, seen: Set<AgentName>): ReadonlySet<AgentName> {
  const found = new Set<AgentName>();
  const waiting = [...names];
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (seen.has(name)) continue;
    seen.add(name);
    const agent = agents.get(name);
    const last = agent?.chain?.stages.at(-1);
    if (last !== undefined) {
      waiting.push(last.to, ...(last.else === undefined ? [] : [last.else]));
      continue;
    }
    const { own, others } = ownPart(name, agent);
    for (const one of own) found.add(one);
    waiting.push(...others);
  }
  return found;
}

/** The agent that takes part in a team when `name` is a member: the end of its chain. Undefined in a cycle. */
export function seatOf(name: AgentName, agents: Definitions): AgentName | undefined {
  const seen = new Set<AgentName>();
  for (let seat = name; !seen.has(seat); ) {
    seen.add(seat);
    const last = agents.get(seat)?.chain?.stages.at(-1);
    if (last === undefined) return seat;
    seat = last.to;
  }
  return undefined;
}
