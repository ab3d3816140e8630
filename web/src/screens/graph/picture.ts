// The picture of a run's graph: its boxes and lines with their places. Pure. Boxes never move: they stand where the
// definitions put them, whatever has happened.
// PICTURE-1. Of very many agents, those of a folder that nothing has reached are one box. A folder is open from the
//     moment in which one of its agents first worked, whichever moment is looked at: going back in time moves nothing
//     either.

import { labelShifts, layoutOf, type Spot } from '../../../../src/definition/show/graph/layout.ts';
import type { Graph } from '../../../../src/server/protocol.ts';
import { type GraphSizes, labelSpot, leftOf, linePath, widthOf } from '../../parts/graph-lines.ts';

export interface Box {
  /** The name of the agent, or of the folder that it stands for. */
  readonly name: string;
  readonly agents: readonly string[];
  readonly description?: string | undefined;
  readonly isFolder: boolean;
  readonly layer: number;
  readonly left: number;
  readonly top: number;
}

export interface Line {
  readonly key: string;
  readonly from: string;
  readonly to: string;
  readonly kind: string;
  readonly label: string;
  readonly dashed?: true | undefined;
  readonly path: string;
  readonly words: { readonly x: number; readonly y: number };
}

export interface GraphPicture {
  readonly boxes: readonly Box[];
  readonly lines: readonly Line[];
  readonly width: number;
  readonly height: number;
}

export const SIZES: GraphSizes = { width: 208, between: 104, margin: 24 };
export const BOX_PX = 92;
const LABEL_PX = 18;
const MANY = 60;

/** The agents that the run can reach. */
export function reachableGraph({ nodes, edges }: Graph, agent: string): Graph {
  const reached = new Set([agent]);
  for (const one of reached) for (const { from, to } of edges) if (from === one) reached.add(to);
  return {
    nodes: nodes.filter(({ name }) => reached.has(name)),
    edges: edges.filter(({ from, to }) => reached.has(from) && reached.has(to)),
  };
}

export interface OpenFolders {
  /** Agents that have worked so far. */
  readonly used: ReadonlySet<string>;
  /** Folders that were opened by hand. */
  readonly opened: ReadonlySet<string>;
}

export function pictureOf(graph: Graph, folder: OpenFolders): GraphPicture {
  const folders = closedFolders(graph, folder);
  const boxOf = (name: string): string => folders.get(name) ?? name;
  const members = new Map<string, Graph['nodes'][number][]>();
  for (const node of graph.nodes) members.set(boxOf(node.name), [...(members.get(boxOf(node.name)) ?? []), node]);
  const edges = new Map<string, Graph['edges'][number]>();
  for (const edge of graph.edges) {
    const [from, to] = [boxOf(edge.from), boxOf(edge.to)];
    const key = `${from} ${to} ${edge.kind} ${edge.label}`;
    if (from !== to && !edges.has(key)) edges.set(key, { ...edge, from, to });
  }
  const shown: Graph = {
    nodes: [...members].map(([name, [first]]) => ({ ...(first as Graph['nodes'][number]), name })),
    edges: withoutCircles([...edges.values()], folders.size > 0),
  };
  const layout = layoutOf(shown, BOX_PX);
  const shifts = labelShifts(shown.edges, LABEL_PX);
  const place = (name: string): Spot | undefined => layout.spots.get(name);
  return {
    boxes: [...members].flatMap(([name, nodes]) => {
      const spot = place(name);
      if (spot === undefined) return [];
      const isFolder = nodes.length > 1 || nodes[0]?.name !== name;
      const agents = nodes.map((node) => node.name);
      const at = { layer: spot.layer, left: leftOf(spot, SIZES), top: SIZES.margin + spot.y };
      return [{ name, agents, description: isFolder ? undefined : nodes[0]?.description, isFolder, ...at }];
    }),
    lines: shown.edges.map((edge, index) => lineOf(edge, layout.routes[index] ?? [], shifts[index] ?? 0)),
    width: widthOf(layout.layers.length, SIZES),
    height: SIZES.margin * 2 + layout.height,
  };
}

const lineOf = (
  { from, to, kind, label, dashed }: Graph['edges'][number],
  route: Parameters<typeof linePath>[0],
  shift: number,
): Line => ({
  key: `${from} ${to} ${kind} ${label}`,
  from,
  to,
  kind,
  label,
  dashed,
  path: linePath(route, SIZES),
  words: shiftedBy(shift, labelSpot(route, SIZES)),
});

const shiftedBy = (shift: number, { x, y }: Line['words']): Line['words'] => ({ x, y: y + shift });

/** The name of the folder that stands for each agent. PICTURE-1 */
function closedFolders({ nodes }: Graph, { used, opened }: OpenFolders): ReadonlyMap<string, string> {
  if (nodes.length <= MANY) return new Map();
  const folderOf = (file: string): string => file.slice(0, file.lastIndexOf('/') + 1);
  const open = new Set([...opened, ...nodes.filter(({ name }) => used.has(name)).map(({ file }) => folderOf(file))]);
  return new Map(
    nodes.flatMap(({ name, file }) => {
      const folder = folderOf(file);
      return folder === '' || open.has(folder) ? [] : [[name, folder] as const];
    }),
  );
}

/** Folders may lead to each other both ways. The layout takes a line of that kind as one that may lead back. */
const withoutCircles = (edges: readonly Graph['edges'][number][], hasFolders: boolean): Graph['edges'] =>
  hasFolders ? edges.map((edge) => ({ ...edge, background: true as const })) : edges;

/** The box that an arrow key leads to: along a line to the left or right, or to the next one of the same column. */
export function nextBox({ boxes, lines }: GraphPicture, from: string, key: string): string | undefined {
  const here = boxes.find(({ name }) => name === from);
  if (here === undefined) return boxes[0]?.name;
  if (key === 'ArrowRight') return lines.find((line) => line.from === from)?.to;
  if (key === 'ArrowLeft') return lines.find((line) => line.to === from)?.from;
  const column = boxes.filter(({ layer }) => layer === here.layer).sort((one, other) => one.top - other.top);
  return column[column.indexOf(here) + (key === 'ArrowDown' ? 1 : -1)]?.name;
}
