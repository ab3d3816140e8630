// The graph as a standalone picture: boxes for agents, lines in the colour of their kind, a legend. Readable on
// light and dark backgrounds. Every text in it is escaped.

import type { Graph, GraphEdge } from '../graph.ts';
import { labelShifts, layoutOf, type Spot } from './layout.ts';

/** The colours, in the order of the legend. A pattern that is not here is drawn in grey. */
const COLOURS: Readonly<Record<string, string>> = {
  agents: '#4c6ef5',
  next: '#0c8599',
  handoff: '#2f9e44',
  router: '#e8590c',
  advisors: '#9c36b5',
  team: '#c2255c',
  repeat: '#66a80f',
  spawn: '#b08900',
  subagent: '#5f3dc4',
};
const OTHER = '#495057';
const colourOf = (kind: string): string => COLOURS[kind] ?? OTHER;

const CHARACTER = 8;
const PADDING = 14;
const BETWEEN = 120;
const MARGIN = 24;
const LEGEND = 34;

export function graphSvg(graph: Graph): string {
  const { spots, routes, layers, height } = layoutOf(graph);
  const widths = layers.map((layer) =>
    Math.max(60, ...layer.map((spot) => (spot.name?.length ?? 0) * CHARACTER + 2 * PADDING)),
  );
  const lefts: number[] = [];
  let right = MARGIN;
  for (const width of widths) {
    lefts.push(right);
    right += width + BETWEEN;
  }
  const kinds = [...new Set([...Object.keys(COLOURS), ...graph.edges.map(({ kind }) => kind)])].filter((kind) =>
    graph.edges.some((edge) => edge.kind === kind),
  );
  const total = {
    width: Math.max(right - BETWEEN + MARGIN, MARGIN * 2 + kinds.length * 90),
    height: height + 2 * MARGIN + LEGEND,
  };
  const box = (spot: Spot): Box => ({
    left: lefts[spot.layer]!,
    right: lefts[spot.layer]! + widths[spot.layer]!,
    y: spot.y + spot.height / 2 + MARGIN,
  });

  const shifts = labelShifts(graph.edges, LABEL);
  const lines = graph.edges.map((edge, index) => line(edge, routes[index]!.map(box), shifts[index] ?? 0));
  const boxes = graph.nodes.map((node) => {
    const spot = spots.get(node.name)!;
    const { left, y } = box(spot);
    const width = widths[spot.layer]!;
    const title = node.description === undefined ? '' : `<title>${escape(node.description)}</title>`;
    const rect = `<rect x="${left}" y="${round(y - spot.height / 2)}" width="${width}" height="${spot.height}" rx="8"/>`;
    return `<g class="agent">${title}${rect}<text x="${left + width / 2}" y="${round(y + 5)}">${escape(node.name)}</text></g>`;
  });
  const legend = kinds.map((kind, index) => {
    const x = MARGIN + index * 90;
    const y = total.height - MARGIN;
    return `<g class="${kind}"><path d="M${x} ${y - 4}h18"/><text class="label" style="text-anchor:start" x="${x + 24}" y="${y}">${kind}</text></g>`;
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${Math.ceil(total.width)} ${Math.ceil(total.height)}" width="${Math.ceil(total.width)}" height="${Math.ceil(total.height)}" role="img" aria-label="Agents and what leads to whom">`,
    `<style>${style(kinds)}</style>`,
    `<defs>${kinds.map(arrow).join('')}</defs>`,
    ...lines,
    ...boxes,
    ...legend,
    '</svg>\n',
  ].join('\n');
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly y: number;
}

/** The height of a label. */
const LABEL = 13;

function line({ kind, dashed, label }: GraphEdge, boxes: readonly Box[], shift: number): string {
  const [first, ...rest] = boxes;
  const dashes = dashed ? ' stroke-dasharray="5 4"' : '';
  const drawn = (path: string, at: { readonly x: number; readonly y: number }): string =>
    `<g class="${kind}"><path d="${path}"${dashes} marker-end="url(#to-${kind})"/><text class="label" x="${round(at.x)}" y="${round(at.y + shift)}">${escape(label)}</text></g>`;
  if (rest[0]!.left <= first!.left) return drawn(...back(first!, rest[0]!));
  let path = `M${first!.right} ${round(first!.y)}`;
  let [x, y] = [first!.right, first!.y];
  for (const [index, box] of rest.entries()) {
    const bend = (box.left - x) / 2;
    path += `C${round(x + bend)} ${round(y)} ${round(box.left - bend)} ${round(box.y)} ${round(box.left)} ${round(box.y)}`;
    if (index < rest.length - 1) path += `H${round(box.right)}`;
    [x, y] = [box.right, box.y];
  }
  const target = rest[0]!;
  const at = { x: (first!.right + target.left) / 2, y: (first!.y + target.y) / 2 - 4 };
  return drawn(path, at);
}

const UNDER = 56;

/** A line that leads back, or to its own agent, passes below the boxes. */
function back(from: Box, to: Box): [path: string, label: { readonly x: number; readonly y: number }] {
  const low = round(Math.max(from.y, to.y) + UNDER);
  const path = `M${from.right} ${round(from.y)}C${from.right + 40} ${low} ${to.left - 40} ${low} ${to.left} ${round(to.y)}`;
  return [path, { x: (from.right + to.left) / 2, y: low - 10 }];
}

const arrow = (kind: string): string =>
  `<marker id="to-${kind}" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0 0L8 4L0 8z" style="fill:${colourOf(kind)};stroke:none"/></marker>`;

const style = (kinds: readonly string[]): string =>
  [
    'text{font:14px ui-monospace,monospace;text-anchor:middle;fill:#1a1b1e}',
    'rect{fill:#f8f9fa;stroke:#868e96;stroke-width:1.2}',
    'path{fill:none;stroke-width:1.6}',
    '.label{font-size:11px;paint-order:stroke;stroke:#ffffff;stroke-width:3px}',
    ...kinds.map((kind) => `.${kind} path{stroke:${colourOf(kind)}}.${kind} text{fill:${colourOf(kind)}}`),
    '@media (prefers-color-scheme:dark){svg{background:#141517}.agent text{fill:#f1f3f5}rect{fill:#25262b}.label{stroke:#141517}}',
  ].join('');

const round = (value: number): number => Math.round(value * 10) / 10;

const escape = (text: string): string =>
  text
    .replaceAll(/(?![\t\n\r])\p{Cc}|[\ufffe\uffff]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
