// Places the boxes: layers from left to right by the longest path from an agent without references to it, each layer
// ordered so that few lines cross. A line over several layers goes through free places in between.

import { groupedBy, reachedFrom } from '../../../base/data/groups.ts';
import type { Graph, GraphEdge } from '../graph.ts';
import { isBackground } from './background.ts';

export interface Spot {
  /** Undefined for a free place that a line passes through. */
  readonly name: string | undefined;
  readonly layer: number;
  y: number;
  readonly height: number;
}

const BOX = 44;
const LANE = 14;
const GAP = 18;
const SWEEPS = 8;

/** `box`: how high a box is. `routes` are the spots that each edge of the graph passes, both ends included. */
export function layoutOf({ nodes, edges }: Graph, box: number = BOX) {
  const layerOf = layersOf(
    nodes.map((node) => node.name),
    withoutCircles(edges),
  );
  const layers: Spot[][] = [];
  const place = (name: string | undefined, layer: number): Spot => {
    const spot: Spot = { name, layer, y: 0, height: name === undefined ? LANE : box };
    (layers[layer] ??= []).push(spot);
    return spot;
  };
  const spots = new Map(nodes.map((node) => [node.name, place(node.name, layerOf.get(node.name) ?? 0)]));
  const routes = edges.map(({ from, to }): readonly Spot[] => {
    const [start, end] = [spots.get(from)!, spots.get(to)!];
    const between = Array.from({ length: Math.max(0, end.layer - start.layer - 1) }, (_, step) =>
      place(undefined, start.layer + 1 + step),
    );
    return [start, ...between, end];
  });
  const neighbours = neighboursOf(routes);
  for (const layer of layers) stack(layer);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const order = sweep % 2 === 0 ? layers : layers.toReversed();
    for (const layer of order) settle(layer, sweep % 2 === 0 ? neighbours.before : neighbours.after);
  }
  const top = Math.min(0, ...layers.flat().map((spot) => spot.y));
  for (const spot of layers.flat()) spot.y -= top;
  const height = Math.max(box, ...layers.flat().map((spot) => spot.y + spot.height));
  return { spots, routes, layers, height };
}

/** The height by which the label of an edge is moved, so that those of edges between the same two agents are all read. */
export function labelShifts(edges: readonly Pick<GraphEdge, 'from' | 'to' | 'kind'>[], lineHeight: number) {
  const along = groupedBy(edges.entries(), ([, { from, to, kind }]) => `${from} ${to} ${kind}`);
  const shifts = edges.map(() => 0);
  for (const some of along.values())
    some.forEach(([index], place) => {
      shifts[index] = (place - (some.length - 1) / 2) * lineHeight;
    });
  return shifts;
}

/** Only spawning makes cycles. Such an edge is left out where its agent can lead back to the one that spawns it. */
function withoutCircles(edges: readonly GraphEdge[]): readonly GraphEdge[] {
  const kept = edges.filter((edge) => !isBackground(edge));
  for (const [spawner, leaving] of groupedBy(edges.filter(isBackground), ({ from }) => from)) {
    const into = groupedBy(kept, ({ to }) => to);
    const leading = reachedFrom([spawner], (name) => (into.get(name) ?? []).map(({ from }) => from));
    kept.push(...leaving.filter(({ to }) => !leading.has(to)));
  }
  return kept;
}

/** The longest path from the left. */
function layersOf(names: readonly string[], edges: Graph['edges']): ReadonlyMap<string, number> {
  const incoming = new Map(names.map((name) => [name, 0]));
  const out = groupedBy(edges, ({ from }) => from);
  for (const { to } of edges) incoming.set(to, (incoming.get(to) ?? 0) + 1);
  const layer = new Map(names.map((name) => [name, 0]));
  const ready = names.filter((name) => incoming.get(name) === 0);
  for (let index = 0; index < ready.length; index++) {
    const name = ready[index]!;
    for (const { to } of out.get(name) ?? []) {
      layer.set(to, Math.max(layer.get(to)!, layer.get(name)! + 1));
      incoming.set(to, incoming.get(to)! - 1);
      if (incoming.get(to) === 0) ready.push(to);
    }
  }
  return layer;
}

/** The spots beside each spot on the routes: those on its left, and those on its right. */
function neighboursOf(routes: readonly (readonly Spot[])[]) {
  const steps = routes.flatMap((route) => route.slice(1).map((right, index) => ({ left: route[index]!, right })));
  const [into, out] = [groupedBy(steps, ({ right }) => right), groupedBy(steps, ({ left }) => left)];
  return {
    before: (spot: Spot): readonly Spot[] => (into.get(spot) ?? []).map(({ left }) => left),
    after: (spot: Spot): readonly Spot[] => (out.get(spot) ?? []).map(({ right }) => right),
  };
}

function stack(layer: readonly Spot[]): void {
  let y = 0;
  for (const spot of layer) {
    spot.y = y;
    y += spot.height + GAP;
  }
}

const middle = (spot: Spot): number => spot.y + spot.height / 2;

/** Orders a layer by the places of its neighbours, and moves each spot as near to them as the ones above it allow. */
function settle(layer: Spot[], neighboursAt: (spot: Spot) => readonly Spot[]): void {
  const wished = new Map(
    layer.map((spot) => {
      const near = neighboursAt(spot);
      const sum = near.reduce((total, other) => total + middle(other), 0);
      return [spot, near.length === 0 ? middle(spot) : sum / near.length];
    }),
  );
  layer.sort((a, b) => wished.get(a)! - wished.get(b)!);
  let floor = Number.NEGATIVE_INFINITY;
  for (const spot of layer) {
    spot.y = Math.max(floor, wished.get(spot)! - spot.height / 2);
    floor = spot.y + spot.height + GAP;
  }
  // A layer that was pushed down as a whole goes back up by half of it.
  const drift = layer.reduce((total, spot) => total + middle(spot) - wished.get(spot)!, 0) / Math.max(1, layer.length);
  for (const spot of layer) spot.y -= drift;
}
