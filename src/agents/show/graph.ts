// The checked graph: which agent may lead to which, and how. graph/ draws text, Mermaid, DOT and SVG from it.

import type { AgentName } from '../../kernel/effect.ts';
import { helperName } from '../../kernel/subagent.ts';
import { IN_TIME } from '../../patterns/layers.ts';
import { configOf, edgesOf } from '../../patterns/record.ts';
import { subagentPattern } from '../../patterns/subagent/pattern.ts';
import type { AgentDefinition, CadreDefinition } from '../definition.ts';

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

export interface GraphEdge {
  readonly from: AgentName;
  readonly to: AgentName;
  /** The key that leads there. What `spawn` leads to may spawn its spawner: only it makes cycles. */
  readonly kind: string;
  readonly role: string;
  /** The label of the line: `next 2`, `team supervisor`. */
  readonly label: string;
  /** Drawn with a dashed line: it need not happen, or happens beside the rest. */
  readonly dashed?: true;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export function graphOf({ agents }: Pick<CadreDefinition, 'agents'>): Graph {
  const all = [...agents.values()];
  return { nodes: all.flatMap((agent) => [nodeOf(agent), ...helpersOf(agent)]), edges: all.flatMap(edgesFrom) };
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

const hasHelper = (agent: AgentDefinition): boolean => configOf(agent, subagentPattern)?.enabled === true;

function helpersOf(agent: AgentDefinition): readonly GraphNode[] {
  if (!hasHelper(agent)) return [];
  const description = `A helper with a fresh context, for one task of ${agent.name}.`;
  return [
    { kind: 'helper', name: helperName(agent.name), file: agent.file, description, models: agent.models, patterns: [] },
  ];
}

function nodeOf(agent: AgentDefinition): GraphNode {
  const { name, file, description, models } = agent;
  const patterns = agent.patterns.flatMap(({ pattern }) => (pattern.isPlain ? [] : [pattern.key]));
  return { kind: 'agent', name, file, ...(description === undefined ? {} : { description }), models, patterns };
}

function edgesFrom(agent: AgentDefinition): readonly GraphEdge[] {
  const edges = edgesOf(agent);
  return IN_TIME.flatMap((layer) => edges.filter(({ pattern }) => pattern.layer === layer)).map(
    ({ to, role, label, pattern: { key }, isDashed: dashed }) => ({
      from: agent.name,
      to,
      kind: key,
      role,
      label: label ?? key,
      ...(dashed && { dashed }),
    }),
  );
}
