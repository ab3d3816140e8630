// The graph as a tree for terminals: agents that nobody refers to on the left, everybody else below who leads there.
// An agent that was drawn with its own edges already is drawn without them, and marked.

import type { Graph, GraphEdge, GraphNode } from '../graph.ts';

export function graphText({ nodes, edges }: Graph): string {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const out = new Map<string, GraphEdge[]>();
  for (const edge of edges) out.set(edge.from, [...(out.get(edge.from) ?? []), edge]);
  const referred = new Set(edges.map((edge) => edge.to));
  const drawn = new Set<string>();
  const lines: string[] = [];
  for (const node of nodes) if (!referred.has(node.name)) draw(node, '', '');
  return lines.join('\n');

  function draw(node: GraphNode, head: string, indent: string): void {
    const below: readonly GraphEdge[] = out.get(node.name) ?? [];
    const again = drawn.has(node.name) && below.length > 0;
    const extras = node.patterns.filter(
      (pattern) => pattern === 'chat' || pattern === 'subagent' || pattern === 'spawn',
    );
    lines.push(
      `${head}${node.name}${extras.length > 0 ? ` (${extras.join(', ')})` : ''}${again ? ' (see above)' : ''}`,
    );
    if (again) return;
    drawn.add(node.name);
    for (const [index, edge] of below.entries()) {
      const last = index === below.length - 1;
      const to = byName.get(edge.to);
      if (to !== undefined)
        draw(to, `${indent}${last ? '└─' : '├─'} ${edge.label} → `, `${indent}${last ? '   ' : '│  '}`);
    }
  }
}
