// The checked graph: who may lead to whom, and how. Plain data, from which graph/ draws text, Mermaid, DOT and SVG.

import type { AgentName } from '../kernel/effect.ts';
import { helperName } from '../kernel/subagent.ts';
import type { AgentDefinition, CadreDefinition } from './definition.ts';
import type { EdgeKey } from './keys.ts';
import type { EdgeRole } from './link.ts';

export interface GraphNode {
  /** An agent of the folder, or the helper that an agent's `subagent` tool calls. */
  readonly kind: 'agent' | 'helper';
  readonly name: AgentName;
  readonly file: string;
  readonly description?: string;
  readonly models: readonly string[];
  /** The keys that make it more than a plain agent: `router`, `team`, `chat`, … */
  readonly patterns: readonly string[];
}

/** The keys that lead from one agent to another. What `spawn` leads to may spawn its spawner: only it makes cycles. */
export type GraphEdgeKind = EdgeKey | 'spawn' | 'subagent';

export interface GraphEdge {
  readonly from: AgentName;
  readonly to: AgentName;
  readonly kind: GraphEdgeKind;
  readonly role: EdgeRole | 'spawned' | 'helper';
  /** What stands on the line: `next 2`, `team supervisor`. */
  readonly label: string;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export function graphOf({ agents }: Pick<CadreDefinition, 'agents'>): Graph {
  const all = [...agents.values()];
  return { nodes: all.flatMap((agent) => [nodeOf(agent), ...helpersOf(agent)]), edges: all.flatMap(edgesOf) };
}

/** Several cadres in one graph, each agent with its cadre's prefix before its name. */
export function joined(graphs: readonly { readonly prefix: string; readonly graph: Graph }[]): Graph {
  return {
    nodes: graphs.flatMap(({ prefix, graph }) =>
      graph.nodes.map((node) => ({ ...node, name: prefix + node.name, file: prefix + node.file })),
    ),
    edges: graphs.flatMap(({ prefix, graph }) =>
      graph.edges.map((edge) => ({ ...edge, from: prefix + edge.from, to: prefix + edge.to })),
    ),
  };
}

/** Whether two edges of this kind can lead in a circle. */
export const isBackground = ({ kind }: GraphEdge): boolean => kind === 'spawn';

/** What need not happen, or happens beside the rest, is drawn with a dashed line. */
export const isDashed = (role: GraphEdge['role']): boolean =>
  role === 'else' || role === 'advisor' || role === 'spawned';

const hasHelper = ({ subagent }: AgentDefinition): boolean => subagent?.enabled === true;

function helpersOf(agent: AgentDefinition): readonly GraphNode[] {
  if (!hasHelper(agent)) return [];
  const description = `A helper with a fresh context, for one task of ${agent.name}.`;
  return [
    { kind: 'helper', name: helperName(agent.name), file: agent.file, description, models: agent.models, patterns: [] },
  ];
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
  return { kind: 'agent', name, file, ...(description === undefined ? {} : { description }), models, patterns };
}

function edgesOf(agent: AgentDefinition): readonly GraphEdge[] {
  const edge = (to: AgentName, kind: GraphEdgeKind, role: GraphEdge['role'], label: string = kind): GraphEdge => ({
    from: agent.name,
    to,
    kind,
    role,
    label,
  });
  const { chain, router, advisors, team, spawn } = agent;
  const many = (chain?.stages.length ?? 0) > 1;
  return [
    ...(advisors?.agents ?? []).map((to) => edge(to, 'advisors', 'advisor')),
    ...(team?.members ?? []).map((to) => edge(to, 'team', 'member')),
    ...(team === undefined || team.supervisor === agent.name
      ? []
      : [edge(team.supervisor, 'team', 'supervisor', 'team supervisor')]),
    ...agent.agents.map((to) => edge(to, 'agents', 'call')),
    ...(hasHelper(agent) ? [edge(helperName(agent.name), 'subagent', 'helper')] : []),
    ...(spawn?.agents ?? []).map((to) => edge(to, 'spawn', 'spawned')),
    ...(router?.destinations ?? []).map((to) => edge(to, 'router', 'destination')),
    ...(chain?.stages ?? []).flatMap((stage, index) => {
      const label = many ? `${chain!.trigger} ${index + 1}` : chain!.trigger;
      const other = stage.else === undefined ? [] : [edge(stage.else, chain!.trigger, 'else', `${label} else`)];
      return [edge(stage.to, chain!.trigger, 'stage', label), ...other];
    }),
  ];
}
