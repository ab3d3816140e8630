// The graph of the agents, drawn by hand on the project's own layout: the same picture as `cadre graph`.

import { useMemo } from 'preact/hooks';
import { layoutOf, type Spot } from '../../../../src/definition/show/graph/layout.ts';
import type { Diagnostic, Graph } from '../../../../src/server/protocol.ts';
import { agentHref } from '../../app/addresses.ts';
import { go } from '../../app/router.ts';
import { Icon } from '../../parts/icon.tsx';
import { worstOf } from './findings.ts';

const WIDTH = 152;
const BETWEEN = 116;
const EDGE = 24;

interface Props {
  readonly graph: Graph;
  readonly chosen: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Sessions that work now, by agent. */
  readonly live: ReadonlyMap<string, number>;
}

const left = ({ layer }: Spot): number => EDGE + layer * (WIDTH + BETWEEN);
const middle = ({ y, height }: Spot): number => EDGE + y + height / 2;

export const AgentGraph = ({ graph, chosen, diagnostics, live }: Props) => {
  const layout = useMemo(() => layoutOf(graph), [graph]);
  const width = EDGE * 2 + layout.layers.length * WIDTH + Math.max(0, layout.layers.length - 1) * BETWEEN;
  const height = EDGE * 2 + layout.height;
  return (
    <div class="agents-graph">
      <div class="agents-canvas" style={{ width: `${width}px`, height: `${height}px` }}>
        <svg width={width} height={height} aria-hidden="true" focusable="false">
          <defs>
            {KINDS.map((kind) => (
              <marker
                key={kind}
                id={`arrow-${kind}`}
                class={`e-${kind}`}
                viewBox="0 0 8 8"
                refX="7"
                refY="4"
                markerWidth="7"
                markerHeight="7"
                orient="auto"
              >
                <path d="M0 0.5L7.5 4L0 7.5z" fill="currentColor" />
              </marker>
            ))}
          </defs>
          {graph.edges.map((edge, index) => (
            <path
              key={`${edge.from} ${edge.to} ${edge.label}`}
              class={`agents-edge e-${kindOf(edge.kind)} ${dashOf(edge.kind, edge.dashed)}`}
              d={pathOf(layout.routes[index] ?? [])}
              marker-end={`url(#arrow-${kindOf(edge.kind)})`}
            />
          ))}
        </svg>
        {graph.edges.map((edge, index) => {
          const at = labelSpot(layout.routes[index] ?? []);
          return (
            <span
              key={`${edge.from} ${edge.to} ${edge.label}`}
              class={`agents-label e-${kindOf(edge.kind)}`}
              style={{ left: `${at.x}px`, top: `${at.y}px` }}
            >
              {edge.label}
            </span>
          );
        })}
        <ul aria-label="Agents">
          {graph.nodes.map((node) => {
            const spot = layout.spots.get(node.name);
            if (spot === undefined) return null;
            const own = diagnostics.filter(({ file }) => file === node.file);
            const worst = worstOf(own);
            const working = live.get(node.name) ?? 0;
            return (
              <li key={node.name}>
                <a
                  href={agentHref(node.name)}
                  class={node.name === chosen ? 'agents-node chosen' : 'agents-node'}
                  aria-current={node.name === chosen ? 'true' : undefined}
                  style={{
                    left: `${left(spot)}px`,
                    top: `${EDGE + spot.y}px`,
                    width: `${WIDTH}px`,
                    height: `${spot.height}px`,
                  }}
                  onDblClick={() => go(`${agentHref(node.name)}/start`)}
                >
                  <NodeName name={node.name} />
                  <code>{node.patterns.length === 0 ? 'plain' : node.patterns.join(', ')}</code>
                  {worst !== undefined && (
                    <span class={`agents-mark s-${worst === 'error' ? 'bad' : 'limit'}`}>
                      <Icon name={worst === 'error' ? 'failed' : 'warn'} />
                      <span class="sr">{own.length} findings</span>
                    </span>
                  )}
                  {working > 0 && <span class="agents-live">{working}</span>}
                </a>
              </li>
            );
          })}
        </ul>
      </div>
    </div>
  );
};

/** Where there is no room for both, the folder is cut and not the name. */
const NodeName = ({ name }: { readonly name: string }) => {
  const from = name.lastIndexOf('/') + 1;
  return (
    <strong title={name}>
      <span>{name.slice(0, from)}</span>
      <span>{name.slice(from)}</span>
    </strong>
  );
};

const KINDS = ['advisors', 'router', 'next', 'agents', 'team', 'handoff'] as const;
const kindOf = (kind: string): string => KINDS.find((known) => known === kind) ?? 'agents';

/** Each kind has its dash besides its colour. */
function dashOf(kind: string, dashed: true | undefined): string {
  if (kind === 'advisors') return 'dash-long';
  if (kind === 'agents' || kind === 'spawn' || kind === 'subagent') return 'dash-dot';
  return dashed === true ? 'dash-long' : '';
}

function pathOf(route: readonly Spot[]): string {
  const points = route.map((spot, index) => ({
    in: { x: left(spot), y: middle(spot) },
    out: { x: left(spot) + (spot.name === undefined && index > 0 ? 0 : WIDTH), y: middle(spot) },
  }));
  const [first, ...rest] = points;
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

function labelSpot(route: readonly Spot[]): { readonly x: number; readonly y: number } {
  const [from, to] = [route[0], route[1]];
  if (from === undefined || to === undefined) return { x: 0, y: 0 };
  return { x: (left(from) + WIDTH + left(to)) / 2, y: (middle(from) + middle(to)) / 2 };
}
