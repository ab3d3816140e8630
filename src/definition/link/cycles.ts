// Finds the cycles over all edges together: no agent may be its own ancestor. Linear in the number of edges, without
// recursion, and the same cycles in the same order whatever order the agents come in.

import { groupedBy } from '../../base/data/groups.ts';
import type { AgentName } from '../../kernel/effect.ts';
import { compare } from '../diagnostic.ts';
import type { Edge } from './link.ts';

/** A cycle as its edges, from the agent with the smallest name round to it again. */
type Cycle = readonly Edge[];

export function findCycles(edges: readonly Edge[]): readonly Cycle[] {
  const out = groupedBy(edges, ({ from }) => from.name);
  for (const from of out.values()) from.sort((a, b) => compare(a.to.name, b.to.name));

  const found = new Map<string, Cycle>();
  const done = new Set<AgentName>();
  for (const start of [...out.keys()].sort(compare)) {
    if (!done.has(start)) search(start);
  }
  return [...found].sort(([a], [b]) => compare(a, b)).map(([, cycle]) => cycle);

  function search(start: AgentName): void {
    /** The edges that lead to where we are, and how many edges of each agent on the way have been tried. */
    const path: Edge[] = [];
    const position = new Map<AgentName, number>([[start, 0]]);
    const tried: number[] = [0];
    while (tried.length > 0) {
      const here = path.at(-1)?.to.name ?? start;
      const edge = out.get(here)?.[tried.at(-1)!];
      if (edge === undefined) {
        done.add(here);
        position.delete(here);
        tried.pop();
        path.pop();
        continue;
      }
      tried[tried.length - 1]! += 1;
      const back = position.get(edge.to.name);
      if (back !== undefined) keep([...path.slice(back), edge]);
      else if (!done.has(edge.to.name)) {
        path.push(edge);
        position.set(edge.to.name, path.length);
        tried.push(0);
      }
    }
  }

  function keep(cycle: Cycle): void {
    const smallest = cycle.reduce((best, edge, index) => (edge.from.name < cycle[best]!.from.name ? index : best), 0);
    const turned = [...cycle.slice(smallest), ...cycle.slice(0, smallest)];
    const name = chainOf(turned);
    if (!found.has(name)) found.set(name, turned);
  }
}

/** `b → c → b`. */
export const chainOf = (cycle: Cycle): string =>
  [cycle[0]?.from.name, ...cycle.map((edge) => edge.to.name)].join(' → ');
