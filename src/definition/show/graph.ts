// The checked graph: which agent may lead to which, and how. graph/ draws text, Mermaid, DOT and SVG from it.

import type { AgentName } from '../../kernel/effect.ts';
import { describeUse, edgesOf, IN_TIME, type PatternAgents } from '../../patterns/record.ts';
import type { AgentDefinition, CadreDefinition } from '../definition.ts';

export interface GraphNode {
  /** An agent of the folder, or what only a pattern knows: the helper of `subagent`, the command of a loop. */
  readonly kind: 'agent' | 'helper';
  readonly name: AgentName;
  readonly file: string;
  readonly description?: string;
  readonly models: readonly string[];
  /** The keys that make it more than a plain agent: `router`, `team`, `chat`, … */
  readonly patterns: readonly string[];
  /** Words that a tree of text puts behind its name: `chat`. */
  readonly marks?: readonly string[];
}

export interface GraphEdge {
  readonly from: AgentName;
  readonly to: AgentName;
  /** The key that leads there. */
  readonly kind: string;
  readonly role: string;
  /** The label of the line: `next 2`, `team supervisor`. */
  readonly label: string;
  /** Drawn with a dashed line: it need not happen, or happens beside the rest. */
  readonly dashed?: true;
  /** It leads to runs beside the agent's, which may lead back to it: only such edges make cycles. */
  readonly background?: true;
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
}

export function graphOf({ agents }: Pick<CadreDefinition, 'agents'>): Graph {
  const all = [...agents.values()];
  return {
    nodes: onePerName(all.flatMap((agent) => nodesOf(agent, agents))),
    edges: all.flatMap((agent) => edgesFrom(agent, agents)),
  };
}

/** Several loops may have one command. */
const onePerName = (nodes: readonly GraphNode[]): readonly GraphNode[] => [
  ...new Map(nodes.map((node) => [node.name, node])).values(),
];

/** Several cadres in one graph, each agent with its cadre's prefix before its name. */
export function joinGraphs(graphs: readonly { readonly prefix: string; readonly graph: Graph }[]): Graph {
  return {
    nodes: graphs.flatMap(({ prefix, graph }) =>
      graph.nodes.map((node) => ({ ...node, name: prefix + node.name, file: prefix + node.file })),
    ),
    edges: graphs.flatMap(({ prefix, graph }) =>
      graph.edges.map((edge) => ({ ...edge, from: prefix + edge.from, to: prefix + edge.to })),
    ),
  };
}

/** An agent, and after it the nodes that only its patterns know. */
function nodesOf(agent: AgentDefinition, agents: PatternAgents): readonly GraphNode[] {
  const { name, file, description, models } = agent;
  const shown = agent.patterns.map((use) => describeUse(use, name, agents));
  const marks = shown.flatMap(({ mark }) => mark ?? []);
  const node: GraphNode = {
    kind: 'agent',
    name,
    file,
    ...(description === undefined ? {} : { description }),
    models,
    patterns: agent.patterns.flatMap(({ pattern }) => (pattern.isPlain ? [] : [pattern.key])),
    ...(marks.length > 0 && { marks }),
  };
  const helpers = shown.flatMap((one) => one.helpers);
  return [node, ...helpers.map((helper): GraphNode => ({ kind: 'helper', ...helper, file, models, patterns: [] }))];
}

function edgesFrom(agent: AgentDefinition, agents: CadreDefinition['agents']): readonly GraphEdge[] {
  const edges = edgesOf(agent);
  return IN_TIME.flatMap((layer) => edges.filter(({ pattern }) => pattern.layer === layer)).map(
    ({ to, role, label, pattern: { key }, isDashed: dashed, isAside }) => ({
      from: agent.name,
      to,
      kind: key,
      role,
      label: label ?? key,
      ...(dashed && { dashed }),
      ...(isAside && agents.has(to) && { background: true as const }),
    }),
  );
}
