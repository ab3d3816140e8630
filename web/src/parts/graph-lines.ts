// The edges of a graph between its boxes, for every screen that draws one. Pure.

import type { Spot } from '../../../src/definition/show/graph/layout.ts';

/** In pixels: a box, the room between two layers, and the room around all of it. */
export interface GraphSizes {
  readonly width: number;
  readonly between: number;
  readonly margin: number;
}

export const leftOf = ({ layer }: Pick<Spot, 'layer'>, { width, between, margin }: GraphSizes): number =>
  margin + layer * (width + between);

const middleOf = ({ y, height }: Spot, { margin }: GraphSizes): number => margin + y + height / 2;

export const widthOf = (layers: number, { width, between, margin }: GraphSizes): number =>
  margin * 2 + layers * width + Math.max(0, layers - 1) * between;

export const EDGE_KINDS = ['advisors', 'router', 'next', 'agents', 'team', 'handoff', 'repeat'] as const;

/** The kind whose colour an edge has. */
export const edgeColour = (kind: string): string => EDGE_KINDS.find((known) => known === kind) ?? 'agents';

/** Each kind has its dash besides its colour. */
export function dashOf(kind: string, dashed: true | undefined): string {
  if (kind === 'advisors') return 'dash-long';
  if (kind === 'agents' || kind === 'spawn' || kind === 'subagent') return 'dash-dot';
  return dashed === true ? 'dash-long' : '';
}

/** The path of a line through the spots of its route, as SVG writes it. */
export function linePath(route: readonly Spot[], sizes: GraphSizes): string {
  const [first, ...rest] = route.map((spot, index) => {
    const [x, y] = [leftOf(spot, sizes), middleOf(spot, sizes)];
    return { in: { x, y }, out: { x: x + (spot.name === undefined && index > 0 ? 0 : sizes.width), y } };
  });
  if (first === undefined) return '';
  let from = first.out;
  let path = `M${from.x} ${from.y}`;
  for (const point of rest) {
    const bend = Math.max(24, (point.in.x - from.x) / 2);
    path += `C${from.x + bend} ${from.y} ${point.in.x - bend} ${point.in.y} ${point.in.x} ${point.in.y}`;
    from = point.out;
  }
  return path;
}

/** The place of a line's words: the middle of its first part. */
export function labelSpot(route: readonly Spot[], sizes: GraphSizes): { readonly x: number; readonly y: number } {
  const [from, to] = route;
  if (from === undefined || to === undefined) return { x: 0, y: 0 };
  return {
    x: (leftOf(from, sizes) + sizes.width + leftOf(to, sizes)) / 2,
    y: (middleOf(from, sizes) + middleOf(to, sizes)) / 2,
  };
}
