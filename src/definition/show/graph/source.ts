// The graph in the languages of other tools: Mermaid, DOT, and JSON.

import type { Graph } from '../graph.ts';

export function graphMermaid({ nodes, edges }: Graph): string {
  const ids = new Map(nodes.map((node, index) => [node.name, `n${index}`]));
  const text = (value: string): string =>
    `"${value.replaceAll('#', '#35;').replaceAll('"', '#quot;').replaceAll('<', '#lt;').replaceAll('>', '#gt;')}"`;
  const lines = ['flowchart LR'];
  for (const node of nodes) lines.push(`  ${ids.get(node.name)}[${text(node.name)}]`);
  for (const { from, to, label, dashed } of edges) {
    const line = dashed ? '-.->' : '-->';
    lines.push(`  ${ids.get(from)} ${line}|${text(label)}| ${ids.get(to)}`);
  }
  return `${lines.join('\n')}\n`;
}

export function graphDot({ nodes, edges }: Graph): string {
  const text = (value: string): string =>
    `"${value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
  const lines = ['digraph cadre {', '  rankdir=LR;', '  node [shape=box, style=rounded, fontname="sans-serif"];'];
  for (const { name, description } of nodes) {
    lines.push(`  ${text(name)}${description === undefined ? '' : ` [tooltip=${text(description)}]`};`);
  }
  for (const { from, to, label, dashed } of edges) {
    const style = dashed ? ', style=dashed' : '';
    lines.push(`  ${text(from)} -> ${text(to)} [label=${text(label)}${style}];`);
  }
  return `${lines.join('\n')}\n}\n`;
}

export function graphJson(graph: Graph): string {
  return JSON.stringify({ version: 1, ...graph }, null, 2);
}
