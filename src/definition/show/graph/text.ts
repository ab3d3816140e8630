// The graph as a tree for terminals: agents without references to them are on the left, others below what leads there.
// An agent that was already drawn with its edges is drawn without them, and marked.

import type { Graph, GraphEdge, GraphNode } from '../graph.ts';
import { isBackground } from './background.ts';

export function graphText({ nodes, edges }: Graph): string {
  const byName = new Map(nodes.map((node) => [node.name, node]));
  const out = new Map<string, GraphEdge[]>();
  for (const edge of edges) out.set(edge.from, [...(out.get(edge.from) ?? []), edge]);
  const drawn = new Set<string>();
  const lines: string[] = [];
  drawUnreferred(edges);
  drawUnreferred(edges.filter((edge) => !isBackground(edge))); // agents that only a cycle of spawning leads to
  return lines.join('\n');

  function drawUnreferred(by: readonly GraphEdge[]): void {
    const referred = new Set(by.filter(({ from, to }) => from !== to).map(({ to }) => to));
    for (const node of nodes) if (!referred.has(node.name) && !drawn.has(node.name)) draw(node, '', '');
  }

  function draw(node: GraphNode, head: string, indent: string): void {
    const below: readonly GraphEdge[] = out.get(node.name) ?? [];
    const again = drawn.has(node.name) && below.length > 0;
    const marks = (node.marks ?? []).map((mark) => ` (${mark})`).join('');
    lines.push(`${head}${node.name}${marks}${again ? ' (see above)' : ''}`);
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
