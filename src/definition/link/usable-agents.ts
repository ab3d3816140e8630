// The agents of a cadre that can run although other files of it have errors. An error blocks the agents that can reach
// the file it stands in, and no others. An error in cadre.yaml, or one that concerns the folder itself, blocks all of
// them.

import { groupedBy, reachedFrom } from '../../base/data/groups.ts';
import type { AgentName } from '../../kernel/effect.ts';
import type { CadreConfig } from '../definition.ts';
import { CONFIG_FILE } from '../definition.ts';
import { compare, type Diagnostic, isError } from '../diagnostic.ts';
import type { AgentFile } from '../read/agent-file.ts';
import { define, type LinkedAgent } from './define.ts';

type LinkedAgents = ReadonlyMap<AgentName, LinkedAgent>;

export function faultyAgents(
  agents: LinkedAgents,
  diagnostics: readonly Diagnostic[],
  nameOf: (file: string) => AgentName | undefined,
): ReadonlyMap<AgentName, string> | 'all' {
  const faulty = new Map<AgentName, string>();
  for (const { file } of diagnostics.filter(isError)) {
    if (file === '.' || file === CONFIG_FILE) return 'all';
    const name = nameOf(file);
    if (name !== undefined && !faulty.has(name)) faulty.set(name, file);
  }
  if (faulty.size === 0) return faulty;
  const steps = [...agents].flatMap(([name, agent]) => [...needed(agent)].map((to) => ({ name, to })));
  const leadingTo = groupedBy(steps, ({ to }) => to);
  const waiting = [...faulty.keys()];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    for (const { name } of leadingTo.get(next) ?? []) {
      if (faulty.has(name)) continue;
      faulty.set(name, faulty.get(next)!);
      waiting.push(name);
    }
  }
  return faulty;
}

/** The agents that an agent names. Those that it only gets with many others, by `*` or a folder, it can do without. */
const needed = (agent: LinkedAgent | undefined): ReadonlySet<AgentName> => {
  const { edges = [], asides = [] } = agent?.links ?? {};
  return new Set([...edges, ...asides].filter(({ optional }) => optional !== true).map(({ to }) => to.name));
};

/** The files that an agent can reach: its own, and those of all that it names, that they name and so on. */
export function filesReached(agents: LinkedAgents, name: AgentName): ReadonlySet<string> {
  const reached = reachedFrom([name], (one) => needed(agents.get(one)));
  return new Set([...reached].flatMap((one) => agents.get(one)?.file.source.file ?? []));
}

/** The definitions of agents that can run, without those that they got with many others and that cannot. */
export function withoutFaulty(
  usable: readonly (readonly [AgentName, LinkedAgent])[],
  faulty: ReadonlyMap<AgentName, string>,
  config: CadreConfig,
): readonly (readonly [AgentName, LinkedAgent])[] {
  const all = usable.map(([name]) => name).toSorted(compare);
  const fieldsOf = new Map(usable.map(([name, { fields }]) => [name, fields]));
  const answerOf = (name: AgentName) => fieldsOf.get(name)?.output?.schema;
  return usable.map(([name, agent]) => {
    const { file, fields, links, definition } = agent;
    const isUsable = ({ to }: { readonly to: AgentFile }): boolean => !faulty.has(to.name);
    const left = { ...links, edges: links.edges.filter(isUsable), asides: links.asides.filter(isUsable) };
    const context = { config, all, denied: definition.deny, answerOf };
    return [name, { ...agent, links: left, definition: define(file, fields, left, context) }] as const;
  });
}
