// The checked graph: who may lead to whom, and how. Plain data, from which graph/ draws text, Mermaid, DOT and SVG.

import type { AgentName } from '../kernel/effect.ts';
import type { AgentDefinition, CadreDefinition } from './definition.ts';
import type { EdgeKey } from './keys.ts';
import type { EdgeRole } from './link.ts';

export interface GraphNode {
  readonly name: AgentName;
  readonly file: string;
  readonly description?: string;
  readonly models: readonly string[];
  /** The keys that make it more than a plain agent: `router`, `team`, `chat`, … */
  readonly patterns: readonly string[];
}

export interface GraphEdge {
  readonly from: AgentName;
  readonly to: AgentName;
  readonly kind: EdgeKey;
  readonly role: EdgeRole;
  /** What stands on the line: `next 2`, `team supervisor`. */
  readonly label: string;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export function graphOf({ agents }: Pick<CadreDefinition, 'agents'>): Graph {
  const all = [...agents.values()];
  return { nodes: all.map(nodeOf), edges: all.flatMap(edgesOf) };
}

function nodeOf(agent: AgentDefinition): GraphNode {
  const { name, file, description, models, chain, router, advisors, team } = agent;
  const patterns = [
    chain?.trigger,
    router && 'router',
    advisors && 'advisors',
    team && 'team',
    agent.chat ? 'chat' : undefined,
    agent.subagent && 'subagent',
    agent.spawn && 'spawn',
  ].filter((pattern) => pattern !== undefined);
  return { name, file, ...(description === undefined ? {} : { description }), models, patterns };
}

function edgesOf(agent: AgentDefinition): readonly GraphEdge[] {
  const edge = (to: AgentName, kind: EdgeKey, role: EdgeRole, label: string = kind): GraphEdge => ({
    from: agent.name,
    to,
    kind,
    role,
    label,
  });
  const { chain, router, advisors, team } = agent;
  const many = (chain?.stages.length ?? 0) > 1;
  return [
    ...(advisors?.agents ?? []).map((to) => edge(to, 'advisors', 'advisor')),
    ...(team?.members ?? []).map((to) => edge(to, 'team', 'member')),
    ...(team === undefined || team.supervisor === agent.name
      ? []
      : [edge(team.supervisor, 'team', 'supervisor', 'team supervisor')]),
    ...agent.agents.map((to) => edge(to, 'agents', 'call')),
    ...(router?.destinations ?? []).map((to) => edge(to, 'router', 'destination')),
    ...(chain?.stages ?? []).flatMap((stage, index) => {
      const label = many ? `${chain!.trigger} ${index + 1}` : chain!.trigger;
      const other = stage.else === undefined ? [] : [edge(stage.else, chain!.trigger, 'else', `${label} else`)];
      return [edge(stage.to, chain!.trigger, 'stage', label), ...other];
    }),
  ];
}
