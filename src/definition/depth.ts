// The depth of agents: a called agent (`agents`), an advisor and a team member are one level down; an agent that gets
// another one's answer or request (`next`, `handoff`, `router`) takes its place, on the same level.

import type { AgentName } from '../kernel/effect.ts';
import { edgesOf } from '../patterns/record.ts';
import type { AgentDefinition } from './definition.ts';

interface AgentLookup {
  get(name: AgentName): AgentDefinition | undefined;
}

/** The depths of all agents that are not part of a cycle, or above one. */
export function depthsOf(
  agents: AgentLookup,
  names: Iterable<AgentName>,
): ReadonlyMap<
  AgentName,
  {
    /** Levels below the agent. */
    readonly depth: number;
    /** The longest way down, from the agent on. */
    way(): readonly AgentName[];
  }
> {
  const found = new Map<AgentName, { depth: number; through?: AgentName }>();
  for (const name of bottomUp(agents, names)) {
    const agent = agents.get(name);
    let deepest: { depth: number; through?: AgentName } = { depth: 0 };
    let known = true;
    for (const { to, levels } of agent === undefined ? [] : steps(agent)) {
      const below = found.get(to);
      if (below === undefined) known = false;
      else if (below.depth + levels > deepest.depth) deepest = { depth: below.depth + levels, through: to };
    }
    if (known) found.set(name, deepest);
  }
  return new Map([...found].map(([name, { depth }]) => [name, { depth, way: () => wayFrom(name) }]));

  function wayFrom(name: AgentName): readonly AgentName[] {
    const way = [name];
    for (let next = found.get(name)?.through; next !== undefined; next = found.get(next)?.through) way.push(next);
    return way;
  }
}

/** The agents that an agent leads to, and how many levels down they are. */
export function steps(agent: AgentDefinition): readonly { readonly to: AgentName; readonly levels: 0 | 1 }[] {
  const edges = edgesOf(agent).filter(({ isAside }) => !isAside);
  return [
    ...edges.filter(({ means }) => means.deepens).map(({ to }) => ({ to, levels: 1 as const })),
    ...edges.filter(({ means }) => !means.deepens).map(({ to }) => ({ to, levels: 0 as const })),
  ];
}

/** Every agent after all that it leads to, where there is no cycle. Does not recurse: chains may be thousands long. */
export function bottomUp(agents: AgentLookup, names: Iterable<AgentName>): readonly AgentName[] {
  const order: AgentName[] = [];
  const entered = new Set<AgentName>();
  const stack: { readonly name: AgentName; readonly left: AgentName[] }[] = [];
  const enter = (name: AgentName): void => {
    if (entered.has(name)) return;
    entered.add(name);
    const agent = agents.get(name);
    stack.push({ name, left: agent === undefined ? [] : steps(agent).map((step) => step.to) });
  };
  for (const start of names) {
    enter(start);
    for (let top = stack.at(-1); top !== undefined; top = stack.at(-1)) {
      const next = top.left.pop();
      if (next !== undefined) enter(next);
      else order.push(stack.pop()!.name);
    }
  }
  return order;
}
